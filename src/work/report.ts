// What comes back over a link: as data of a note, read with care, since it is the only thing that one agent hears from another.
import { z } from 'zod'
import { taints } from '../policy/decision.ts'

export const reportTypes = ['reply', 'question', 'approval', 'failed', 'stopped', 'closed'] as const
/**
 * Verbatim: each line. milestones: questions, approvals, results, ends. summary: results and ends. inbox: results go to the inbox.
 * reply: nothing, because who ordered the work asked by a request, whose reply is the report.
 */
export const channelModes = ['verbatim', 'milestones', 'summary', 'inbox', 'reply'] as const
export type ChannelMode = (typeof channelModes)[number]
/** Characters of a report's text. */
export const mostText = 60_000

const option = z.object({ label: z.string(), description: z.string().exactOptional() })
const report = z.object({
  eventId: z.string(),
  type: z.enum(reportTypes),
  worker: z.object({ process: z.string(), session: z.string(), project: z.string(), agent: z.string(), title: z.string() }),
  text: z.string(),
  /** Of an approval: the asking without its reasons. */
  headline: z.string().exactOptional(),
  options: z.array(option).exactOptional(),
  /** The ask or approval that stands open, by its outside id. */
  ask: z.string().exactOptional(),
  /** Of the worker when it said this: it raises that of who takes the report. */
  taint: z.enum(taints),
  mode: z.enum(channelModes),
  at: z.number(),
})

/** The data of a note with topic `worker-report`. */
export type Report = z.infer<typeof report>

/** null: it is none. */
export function readReport(data: unknown): Report | null {
  return report.safeParse(data).data ?? null
}
