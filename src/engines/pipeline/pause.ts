// A pause for a person: a durable question about the step, and what was decided.
//
// Y134  Nothing after the bookmark runs before a decision; silence decides only as the agent's configuration says.
import { isJsonObject, type Json } from '../../base/json.ts'
import type { Answer, Opening } from '../../lanes/engine.ts'
import type { TimeoutPolicy } from '../../pipelines/configuration.ts'
import type { Stage } from './stage.ts'

export type Verdict = { readonly verdict: 'APPROVED' | 'REJECTED' | 'ABORTED'; readonly note: string }

export const verdictOptions = [{ label: 'Approve' }, { label: 'Reject' }] as const

export async function verdictOn({ turn, compiled, rooms }: Stage, name: string): Promise<Verdict> {
  const { pauseReason = '', approvalTimeout, timeoutPolicy = 'WAIT_INDEFINITELY' } = compiled.config.hitlConfig ?? {}
  const timeoutMs = timeoutPolicy === 'WAIT_INDEFINITELY' ? null : millisOf(approvalTimeout)
  const text = pauseReason.trim() === '' ? 'This step goes on only when somebody approves it.' : pauseReason.trim()
  rooms.tells.tell({ process: turn.process.id, turn: turn.id, type: 'awaiting_approval', data: { reason: text } })
  const asked: Opening = { kind: 'question', text, options: [...verdictOptions], ...(timeoutMs === null ? {} : { timeoutMs }) }
  const answer = await turn.ask(`pause-${name}`, asked, { wake: false })
  if (answer.kind === 'arrived') return { verdict: 'REJECTED', note: '' }
  return answer.outcome === 'timeout' ? silent(timeoutPolicy) : understood(answer)
}

function silent(policy: TimeoutPolicy): Verdict {
  const note = 'nobody decided in time'
  if (policy === 'AUTO_APPROVE') return { verdict: 'APPROVED', note }
  return { verdict: policy === 'ABORT' ? 'ABORTED' : 'REJECTED', note }
}

/** Only a clear yes is one. */
function understood({ outcome, value }: Answer): Verdict {
  if (outcome !== 'answered') return { verdict: 'ABORTED', note: '' }
  const given = readVerdict(value)
  return { verdict: isYes(given.word) ? 'APPROVED' : 'REJECTED', note: given.note }
}

function readVerdict(value: Json): { readonly word: string; readonly note: string } {
  if (!isJsonObject(value)) return { word: String(value), note: '' }
  const { verdict = '', note = '' } = value
  return { word: String(verdict), note: typeof note === 'string' ? note : '' }
}

function isYes(word: string): boolean {
  return /^(approved?|yes|ja|genehmigt)$/i.test(word.trim())
}

/** Of an ISO 8601 duration as in PT1H30M or P2D; null: none is set. */
export function millisOf(duration: string | undefined): number | null {
  const found = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration?.trim() ?? '')
  if (!found || duration?.trim() === 'P') return null
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0))
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}
