// What a worker says to whom the person addressed: it is told as it came, with its name, before and without any model (E43).
import type { Entry } from '../../protocol/entry.ts'
import { relayLine } from '../../protocol/relayed-approval.ts'
import { type Report, readReport } from '../../work/report.ts'
import type { Voice } from './voice.ts'

/** Ids of the entries that were told. Only of links with the mode verbatim: their words are the person's, not the leader's. */
export function relayVerbatim(voice: Voice, entries: readonly Entry[]): ReadonlySet<string> {
  const told = new Set<string>()
  for (const entry of entries) {
    const report = reportIn(entry)
    if (report?.mode !== 'verbatim') continue
    voice.say(`report-${entry.id}`, lineFor(report))
    told.add(entry.id)
  }
  return told
}

export function reportIn({ body }: Entry): Report | null {
  return body.kind === 'note' && body.topic === 'worker-report' ? readReport(body.data) : null
}

/** How a report is named to a person: who says it, and what it is. */
export function attributed({ worker, type }: Report, text: string): string {
  return `**[Worker ${worker.agent} → ${type}]**\n\n${text}`
}

type Line = Parameters<Voice['say']>[1]

function lineFor(report: Report): Line {
  const { worker, type, text, options, headline } = report
  const as = worker.agent
  if (type === 'approval') return { text: relayLine(worker, headline ?? text), as }
  const info = type === 'question' ? { info: `${worker.agent} waits for your answer: what you write next goes there.` } : {}
  return { text: attributed(report, text), as, ...info, ...(options ? { options } : {}) }
}
