// One round of questions before a chain begins: what routing could not tell is asked, and the answers join the text (E28).
import type { Turn } from '../../lanes/engine.ts'
import { textIn } from '../turn/model.ts'
import type { Plan } from './order.ts'

const dayMs = 24 * 3_600_000
/** Of one answer: it is routed again with the text, and told to each step. */
const longestAnswer = 4_000

/** One after the other, each with its options. null: nobody answered. `wake: false`: words that come in meanwhile wait. */
export async function askRound(turn: Turn, questions: NonNullable<Plan['clarification']>['questions']): Promise<readonly string[] | null> {
  const answers: string[] = []
  for (const [at, { text, options }] of questions.entries()) {
    const numbered = questions.length === 1 ? text : `${at + 1} of ${questions.length}: ${text}`
    const labels = options.map((label) => ({ label }))
    const question = { kind: 'question', text: numbered, timeoutMs: dayMs, ...(labels.length > 0 ? { options: labels } : {}) } as const
    const answer = await turn.ask(`clarify-${at + 1}`, question, { wake: false })
    if (answer.kind !== 'answer' || answer.outcome !== 'answered') return null
    answers.push(textIn(answer.value).slice(0, longestAnswer).toWellFormed())
  }
  return answers.some((one) => one !== '') ? answers : null
}
