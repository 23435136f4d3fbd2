// The hand-over of a person's message to another agent: a worker that is kept while the session lives (E43, E44), or one of its own for
// a chain of steps; and the questions that are asked before, once (E46).
import { laneOf } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { StepFailed, type Turn } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import { joinAnswer, languageOf } from '../../routing/clarify.ts'
import type { Sessions } from '../../scopes/scopes.ts'
import type { WorkerLink } from '../../work/work.ts'
import { textIn } from './model.ts'
import { type Decided, nothing, type Taken, type Words } from './route-case.ts'
import { shortWhy, told } from './route-words.ts'
import { keptWorker, newWorker } from './route-worker.ts'
import type { Voice } from './voice.ts'

export type HandRooms = { readonly sessions: Pick<Sessions, 'create' | 'brief' | 'resume'> }

export type Handing = {
  readonly turn: Turn
  readonly voice: Voice
  readonly words: Words
  /** What is handed over. */
  readonly text: string
  /** Begins the names of its steps. */
  readonly name: string
}

/** `link`: the worker that it is for, when one is meant. `why`: said when it was not the person's own word. */
export type Receiver = {
  readonly agent: string
  readonly title: string
  readonly link: WorkerLink | null
  readonly chain: JsonObject | null
  readonly why: string | null
}

/** Where its route leads: to a worker, to a sentence that says why not, or to who leads. */
export async function hand(rooms: HandRooms, handing: Handing, decided: Decided): Promise<Taken> {
  const { voice, words, name } = handing
  const { goes, alone, chain, by } = decided
  const taken: Taken = { ...nothing, told: new Set([words.entry]) }
  if (goes.to === 'nobody') {
    voice.say(`${name}-not`, { text: goes.plain })
    return taken
  }
  if (goes.to !== 'worker') return nothing
  const { agent, title, link, isChain } = goes
  const reason = by === 'rule' ? told[languageOf(words.body.text)].rule : alone ? shortWhy(decided) : null
  await handOver(rooms, handing, { agent, title, link, chain: isChain ? chain : null, why: reason })
  return taken
}

/** The person's words as they are; nothing of what the leader knows goes along, so that the worker has its own capabilities. */
export async function handOver(rooms: HandRooms, { turn, voice, words, text, name }: Handing, to: Receiver): Promise<void> {
  const say = told[languageOf(words.body.text)]
  try {
    const link = to.link ?? (await turn.step(`${name}-session`, 'idempotent', ({ key }) => workerFor(rooms, turn, { to, text, key })))
    if (to.link === null) turn.note(`${name}-link`, { type: 'worker-linked', data: link })
    const { attachments, folder, voice: isVoice } = words.body
    turn.post(`${name}-words`, laneOf(link.worker), {
      ...{ kind: 'message', session: link.session, text, said: [text] },
      ...(attachments ? { attachments } : {}),
      ...(folder === undefined ? {} : { folder }),
      ...(isVoice === undefined ? {} : { voice: isVoice }),
    })
    voice.say(`${name}-said`, { text: say.has(to.title, to.why) })
  } catch (thrown) {
    if (!(thrown instanceof StepFailed)) throw thrown
    voice.say(`${name}-failed`, { text: say.failed(to.title, thrown.message) })
  }
}

type For = { readonly to: Receiver; readonly text: string; readonly key: string }

function workerFor(rooms: HandRooms, { process }: Turn, { to, text, key }: For): Promise<WorkerLink> {
  const title = text.replace(/\s+/g, ' ').trim().slice(0, 120).toWellFormed()
  const given = { agent: to.agent, title, mode: 'verbatim', params: { direct: true } } as const
  if (to.chain === null) return keptWorker(rooms, process, given)
  return newWorker(rooms, process, { ...given, key, params: { ...given.params, route: to.chain } })
}

// ---- asking first

/** `text`: of the person, with what they answered: `answers` in lines of their own, the rest as sentences. */
type Clarified = { readonly text: string; readonly answers: readonly Entry[]; readonly lines: readonly string[] }

const timeoutMs = 3_600_000

type Clarifying = { readonly words: Words; readonly decided: Decided; readonly label: string }

/** One round of at most three questions. What the person says in plain words is the answer; silence ends the round. */
export async function clarify(turn: Turn, { words, decided, label }: Clarifying): Promise<Clarified> {
  const said: string[] = []
  const answers: Entry[] = []
  const lines: string[] = []
  for (const [index, { text, options }] of decided.questions.entries()) {
    const choices = options.length < 2 ? {} : { options: options.map((name) => ({ label: name })) }
    const asked = await turn.ask(`clarify-${label}-${index + 1}`, { kind: 'question', text, timeoutMs, ...choices })
    if (asked.kind === 'arrived') answers.push(...asked.entries)
    const answer = asked.kind === 'arrived' ? saidIn(asked.entries) : asked.outcome === 'answered' ? textIn(asked.value) : ''
    if (answer === '') break
    said.push(answer)
    if (asked.kind === 'answer') lines.push(`Asked ${JSON.stringify(text)}, the person answered: ${answer}`)
  }
  return { text: said.length === 0 ? words.body.text : joinAnswer(words.body.text, said), answers, lines }
}

function saidIn(entries: readonly Entry[]): string {
  return entries.flatMap(({ body }) => (body.kind === 'message' ? [body.text.trim()] : [])).join('\n')
}
