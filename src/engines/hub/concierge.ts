// Who answers in the hub's place while there is no model: the bundled pipeline agent "concierge", in the hub's own conversation.
//
// A report that only a model could put into other words is told as it stands.
import type { Turn } from '../../lanes/engine.ts'
import type { Agent } from '../../pipelines/conversations/conversations.ts'
import type { Entry } from '../../protocol/entry.ts'
import { converse, type PipelineRooms } from '../pipeline/pipeline.ts'
import { attributed, reportIn } from '../turn/route-relay.ts'
import type { Voice } from '../turn/voice.ts'

export type Hearing = { readonly entries: readonly Entry[]; readonly voice: Voice }
/** False: nobody is called so here, or it is no pipeline, and nothing was said. */
export type Concierge = (turn: Turn, hearing: Hearing) => Promise<boolean>

const name = 'concierge'

export function openConcierge(rooms: PipelineRooms): Concierge {
  return async (turn, { entries, voice }) => {
    const agent = await turn.read<Agent | null>(name, () => pipelineOf(rooms, turn))
    if (agent === null) return false
    for (const entry of entries) {
      const report = reportIn(entry)
      if (report) voice.say(`report-${entry.id}`, { text: attributed(report, report.text) })
    }
    await converse(rooms, turn, { entries, as: { name, agent } })
    return true
  }
}

async function pipelineOf({ agents }: PipelineRooms, { process }: Turn): Promise<Agent | null> {
  const found = await agents.find(name, { user: process.user, project: process.project })
  if (found?.engine !== 'pipeline') return null
  const { pipeline, version } = found.params
  return typeof pipeline === 'string' && typeof version === 'number' ? { id: pipeline, version, environment: 'production' } : null
}
