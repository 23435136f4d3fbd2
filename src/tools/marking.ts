// What a call changes carries what the turn has on its mind, however the call ends (T13, D11): noted before anything is changed, and
// again when it is known what was. A tool that goes on after a stop or its time tells it then; the death of the hub tells nothing, and
// then all that the call could have changed stays marked.
import { messageOf } from '../base/errors.ts'
import { type Log, silent } from '../base/log.ts'
import { NotDone } from '../lanes/engine.ts'
import type { Written } from '../policy/policy.ts'
import { highest } from '../policy/taint.ts'
import { type AnswerRooms, taintOf } from './answer.ts'
import { type Outcome, refused, type Tool, type ToolContext, type Writes } from './tool.ts'

export type MarkRooms = AnswerRooms & { readonly log?: Log }

/** `touches`: the targets of its plan. A tool that only looks stays what it is. */
export function marking(rooms: MarkRooms, tool: Tool, touches: readonly string[]): Tool {
  if (tool.effect === 'replayable') return tool
  const all = touches.filter((one) => one.startsWith('/') || one.startsWith('document:'))
  return {
    ...tool,
    async run(given, context) {
      const writes = tool.writes ? await tool.writes(given, context) : { paths: all }
      const written = await begun(rooms, writes, context)
      // Until here nothing happened; it took too long, or was stopped meanwhile.
      if (context.signal.aborted) return notBegun(rooms, tool, written)
      return ended(rooms, tool, { written, context, run: () => tool.run(given, context) })
    },
  }
}

/** Also what lies on the files already goes along: a file that is moved takes it to another name. */
async function begun({ policy }: MarkRooms, { paths, taint = 'none' }: Writes, context: ToolContext): Promise<Written> {
  const { id, session } = context.process
  const there = paths.length === 0 ? 'none' : await policy.taint.ofPaths(paths)
  return policy.taint.writing({ process: id, session, paths, taint: highest(context.taint, taint, there) })
}

async function notBegun(rooms: MarkRooms, tool: Tool, written: Written): Promise<Outcome> {
  await told(rooms, written, { paths: [], taint: 'none', sources: [] })
  if (tool.effect === 'once') throw new NotDone('It was stopped before it ran.')
  return refused('stopped', 'Not run: it was stopped before.')
}

type Ending = { readonly written: Written; readonly context: ToolContext; readonly run: () => Promise<Outcome> }

/** A throw leaves open what it changed, unless it is certain that it did nothing. */
async function ended(rooms: MarkRooms, tool: Tool, { written, context, run }: Ending): Promise<Outcome> {
  try {
    const outcome = await run()
    const taint = highest(context.taint, await taintOf(rooms, tool, outcome))
    await told(rooms, written, { paths: outcome.wrote ?? [], taint, sources: outcome.sources ?? [tool.name] })
    return outcome
  } catch (thrown) {
    if (thrown instanceof NotDone) await told(rooms, written, { paths: [], taint: 'none', sources: [] })
    throw thrown
  }
}

/** What can't be noted any more, since the hub ends, stays marked as it was before. */
async function told({ log = silent }: MarkRooms, written: Written, what: Parameters<Written['wrote']>[0]): Promise<void> {
  await written.wrote(what).catch((error: unknown) => {
    log('warn', 'what a call wrote could not be noted; all that it could have written stays marked', { error: messageOf(error) })
  })
}
