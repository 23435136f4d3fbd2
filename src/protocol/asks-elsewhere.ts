/**
 * Approvals that other sessions wait for, shown in a conversation too: of the workers that it ordered, and in the person's home of all.
 * Live ones come as frames, those from before by the list of what waits. Pure; it runs in the browser: no Node, types only of zod.
 */
import type { Approval } from './api-approvals.ts'
import type { Incoming, OpenApproval, View } from './view.ts'

export type Elsewhere = {
  /** The conversation is in the person's home: what waits anywhere is shown in it. */
  readonly isHome: boolean
  /** Sessions of workers that were ordered from it. */
  readonly workers: ReadonlySet<string>
}

/** The worker's session that this event of the conversation links to it; null for any other event. */
export function linkedSession({ type, data }: Pick<Incoming, 'type' | 'data'>): string | null {
  return type === 'worker-linked' && typeof data.session === 'string' ? data.session : null
}

/** The frame of another session as the view takes it; null when it is no affair of this conversation. */
export function fromElsewhere(event: Incoming, session: string, { isHome, workers }: Elsewhere): Incoming | null {
  const isAsk = event.type.startsWith('approval-') || event.type === 'turn-settled'
  if (!isAsk || typeof event.session !== 'string' || event.session === session) return null
  const isMine = isHome || workers.has(event.session) || event.forwardedBy?.viaSession === session
  return isMine ? { ...event, forwardedBy: { viaSession: session } } : null
}

/**
 * The view with exactly what the list says that waits. `before`: what stood in the view when the list was asked for; what came in
 * since then stays, and so does what the conversation's own turn asks: its end comes as an event, and is told.
 */
export function withWaiting(view: View, waiting: readonly Approval[], given: Elsewhere & { readonly before: View }): View {
  const { isHome, workers, before } = given
  const mine = waiting.filter(({ session }) => isHome || session === view.session || workers.has(session))
  const listed = new Set(waiting.map((one) => one.id))
  const over = new Set(before.approvals.filter((one) => !listed.has(one.id) && one.turn !== view.turn?.id).map((one) => one.id))
  const kept = view.approvals.filter((one) => !over.has(one.id))
  const fresh = mine.filter((one) => !kept.some((other) => other.id === one.id)).map(openApproval)
  return fresh.length === 0 && kept.length === view.approvals.length ? view : { ...view, approvals: [...kept, ...fresh.reverse()] }
}

function openApproval(one: Approval): OpenApproval {
  const { id, turn, text, risk, tool, capability, target, why, consequences, preview, alternatives, scopes, expiresAt } = one
  return {
    ...{ id, turn, text, risk, tool, capability, target, why, consequences, scopes, expiresAt },
    ...(preview === undefined ? {} : { preview }),
    ...(alternatives === undefined ? {} : { alternatives }),
  }
}

/** The asking without what is shown beside it anyway: its why and its consequences. */
export function headline({ text, why, consequences }: Pick<OpenApproval, 'text' | 'why' | 'consequences'>): string {
  const shown = [consequences, why].filter((part) => part.trim() !== '')
  const short = shown
    .reduce((rest, part) => rest.replace(part, () => ''), text)
    .replace(/\s+/g, ' ')
    .trim()
  return short === '' ? text : short
}
