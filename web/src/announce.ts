// Two announcers for the whole page, one polite and one urgent: states in words, never single words of an answer, never timers (W10).

import { branch } from '../../src/protocol/branch.ts'
import { isRelayOf } from '../../src/protocol/relayed-approval.ts'
import type { View } from '../../src/protocol/view.ts'
import type { State } from './state.ts'
import { nameOf, words } from './words.ts'

export type Announcement = { readonly text: string; readonly urgent: boolean }

const FIRST_CHARACTERS = 200

/** What changed between two states that somebody who can't see the page wants to hear. Pure. */
export function announcements(before: State, after: State, name: string): readonly Announcement[] {
  return [...ofConnection(before, after), ...ofOutbox(before, after), ...ofView(before.view, after.view, name)]
}

function ofConnection(before: State, after: State): readonly Announcement[] {
  const isDown = ({ connection }: State) => connection.is === 'offline' || (connection.is === 'connecting' && connection.again)
  if (after.me === null || isDown(before) === isDown(after)) return []
  return isDown(after) ? [{ text: words.connectionLost, urgent: true }] : [{ text: words.connectionBack, urgent: false }]
}

function ofOutbox(before: State, after: State): readonly Announcement[] {
  const refused = (state: State) => state.outbox.filter((item) => item.refused !== null).length
  return refused(after) > refused(before) ? [{ text: words.announceNotSent, urgent: true }] : []
}

function ofView(before: View | null, after: View | null, name: string): readonly Announcement[] {
  if (before === null || after === null || before === after || before.session !== after.session || before.cursor === null) return []
  const said: Announcement[] = []
  const isWriting = (view: View) => view.writing.length > 0
  if (isWriting(after) && !isWriting(before)) said.push({ text: words.announceWriting(name), urgent: false })
  if (after.leaf !== before.leaf) said.push(...ofLine(after, name))
  const known = new Set(before.questions.map((question) => question.id))
  for (const question of after.questions) {
    if (!known.has(question.id)) said.push({ text: words.announceAsks(name, question.text), urgent: true })
  }
  const asked = new Set(before.approvals.map((approval) => approval.id))
  for (const approval of after.approvals) {
    if (!asked.has(approval.id)) said.push({ text: words.announceNeedsYes(approval.text), urgent: false })
  }
  const failed = (view: View) => view.notices.filter((notice) => notice.kind === 'failed').length
  if (failed(after) > failed(before)) said.push({ text: words.announceFailed, urgent: true })
  return said
}

function ofLine(view: View, name: string): readonly Announcement[] {
  const line = branch(view).at(-1)?.line
  if (!line || line.role === 'user' || isRelayOf(line, view.approvals)) return []
  const by = line.agent ? nameOf(line.agent) : name
  return [{ text: words.announceAnswered(by, line.text.slice(0, FIRST_CHARACTERS)), urgent: false }]
}

/** Speaks one after the other, half a second apart. */
export function openAnnouncer(polite: HTMLElement, urgent: HTMLElement): (said: readonly Announcement[]) => void {
  const queue: Announcement[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const speak = () => {
    const next = queue.shift()
    timer = next ? setTimeout(speak, 500) : undefined
    if (next) (next.urgent ? urgent : polite).textContent = next.text
  }
  return (said) => {
    queue.push(...said)
    if (timer === undefined) speak()
  }
}
