// Reports that need no model: what is short or structured is said as it is, what is long goes to the inbox, what a worker asks is
// passed on with its options (K4). The rest is left for the model.
import type { Attention } from '../../attention/attention.ts'
import type { Turn } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import { relayLine } from '../../protocol/relayed-approval.ts'
import { triage } from '../../work/triage.ts'
import type { Report } from '../../work/work.ts'
import { attributed, reportIn } from '../turn/route-relay.ts'
import type { Voice } from '../turn/voice.ts'

export type PlainRooms = { readonly attention: Pick<Attention, 'add'> }
type Saying = { readonly turn: Turn; readonly voice: Voice }

/** Ids of the entries that the person was told of. `entries` are the turn's first ones, or what came in at one safe point. */
export async function sayPlainly(rooms: PlainRooms, { turn, voice }: Saying, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
  const told = new Set<string>()
  for (const entry of entries) {
    const report = reportIn(entry)
    const name = `report-${entry.id}`
    if (report && (await saidPlainly(rooms, { turn, voice }, { report, name }))) told.add(entry.id)
  }
  return told
}

type Named = { readonly report: Report; readonly name: string }

async function saidPlainly(rooms: PlainRooms, { turn, voice }: Saying, { report, name }: Named): Promise<boolean> {
  const { text, type, worker, mode, options } = report
  // Told as it is for every engine (turn/route-relay.ts).
  if (mode === 'verbatim') return false
  if (type === 'approval') {
    voice.say(name, { text: relayLine(worker, report.headline ?? text) })
    return true
  }
  if (type === 'question') {
    voice.say(name, { text: attributed(report, text), info: whereToAnswer(report), ...(options ? { options } : {}) })
    return true
  }
  const { decision, spoken } = triage({ text, mode, worker: worker.agent })
  if (decision === 'VERBATIM') voice.say(name, { text: attributed(report, text), ...(options ? { options } : {}) })
  if (decision === 'INBOX') {
    await toInbox(rooms, turn, { name: `${name}-inbox`, title: worker.title || worker.agent, report })
    voice.say(name, { text: spoken ?? '' })
  }
  return decision !== 'REFORMULATE'
}

function whereToAnswer({ ask, worker }: Report): string {
  return `It waits for your answer in the session ${worker.session} of the project ${worker.project} (question ${ask ?? ''}).`
}

type Inbox = { readonly name: string; readonly title: string; readonly report: Report }

/** Once: the step's key is the item's. */
export async function toInbox({ attention }: PlainRooms, turn: Turn, { name, title, report }: Inbox): Promise<void> {
  const { user, id: process, session } = turn.process
  const payload = { worker: { ...report.worker }, eventId: report.eventId }
  const item = { user, type: 'OUTPUT_TEXT' as const, title: title.slice(0, 200), body: report.text, payload, session, process }
  await turn.step(name, 'idempotent', async (act) => (await attention.add({ ...item, key: act.key }, `process:${process}`)).id)
}
