// One approval of a call: asked, waited for, however long, and understood (E1, E2). It faces a person, so that words that come in
// meanwhile wake it: it says that it waits, keeps the words for the next safe point, and goes on waiting.
import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { Answer, Turn } from '../../lanes/engine.ts'
import { type ApprovalAnswer, type ApprovalRequest, grantScopes } from '../../policy/decision.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Permit } from '../../tools/checked.ts'

export type Wanted = {
  /** Of the step that wants it; unique in the turn. */
  readonly name: string
  readonly agent: string
  readonly request: ApprovalRequest
  readonly text: string
  readonly timeoutMs: number
  /** What came in while it waited. */
  readonly heard: (entries: readonly Entry[]) => void
}

/** `said`: for the model, why it was not run. `isSilence`: nobody has said no. */
export type Approved =
  | { readonly ok: true; readonly permit: Permit }
  | { readonly ok: false; readonly said: string; readonly isSilence?: true }

/** After so many interruptions new words wait in the mailbox: no turn grows without a bound. */
const mostWakings = 20

export async function approve(turn: Turn, wanted: Wanted): Promise<Approved> {
  const { name, request, text, timeoutMs } = wanted
  const ask = turn.open(`approve-${name}`, { kind: 'approval', text, request: { ...request }, timeoutMs })
  for (let at = 1; ; at++) {
    const wake = at > mostWakings ? { wake: false } : {}
    const answer = await turn.wait(`approved-${name}-${at}`, [ask], wake)
    if (answer.kind === 'answer') return understood(wanted, answer)
    wanted.heard(answer.entries)
    const isPerson = answer.entries.some((entry) => entry.body.kind === 'message')
    if (isPerson) turn.say(`waiting-${name}-${at}`, { agent: wanted.agent, text: stillWaiting(text) })
  }
}

function stillWaiting(text: string): string {
  return `I wait for your yes or no before I go on, and read what you wrote right after it. ${text}`
}

function understood({ request, timeoutMs }: Wanted, answer: Answer): Approved {
  const rule = `by rule ${request.decision.rule.id}: ${request.decision.rule.text}`
  if (answer.outcome === 'revoked')
    return { ok: false, said: `Not run: refused. ${textIn(answer.value)} Don't try the same by another way.` }
  if (answer.outcome !== 'answered') {
    const hours = Math.max(1, Math.round(timeoutMs / 3_600_000))
    const said = `Not run: denied (silence). Nobody answered within ${hours} h; it needs a yes ${rule}.`
    return { ok: false, said, ...(answer.outcome === 'timeout' ? { isSilence: true } : {}) }
  }
  const given = answerIn(answer.value)
  if (given?.decision === 'allow') return { ok: true, permit: { request, answer: given } }
  const reason = given?.reason ? ` They said: ${JSON.stringify(given.reason.slice(0, 1000))}.` : ''
  return { ok: false, said: `Not run: denied by the person (it needs a yes ${rule}).${reason} Don't try the same by another way.` }
}

const answerShape = z.object({
  decision: z.enum(['allow', 'deny']),
  scope: z.enum(grantScopes),
  narrow: z.object({ resource: z.string().exactOptional(), expiresInMs: z.number().exactOptional() }).exactOptional(),
  reason: z.string().exactOptional(),
})

function textIn(value: Json): string {
  return typeof value === 'string' ? value.slice(0, 1000).toWellFormed() : ''
}

/** What can't be read as an answer is a no. */
function answerIn(value: Json): ApprovalAnswer | null {
  return answerShape.safeParse(value).data ?? null
}
