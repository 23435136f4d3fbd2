// What is written under taint: noted before it is written, and once more when it is known what was. So no stop and no crash leaves a
// file without it (D11). The facts stand in a stream of the session, not in the turn, which may be over by then.
import { type SessionId, streamLane } from '../base/ids.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { Taints, Writing, Written } from './policy.ts'
import type { PolicyRooms } from './rooms.ts'
import { highest } from './taint.ts'

const fold = { empty: null, evolve: () => null }
const mostSources = 20
/** Sessions whose stream is at hand; another one is read to its end first. */
const mostOpen = 500

/** `ofProcess`: what the process has on its mind by now. Others may have told it more since its turn began. */
export function openWriting(rooms: PolicyRooms, ofProcess: Taints['ofProcess']): Pick<Taints, 'writing'> {
  const streams = new Map<SessionId, Stream<null>>()
  const note = async (of: Writing, fact: Pick<NewEvent, 'type' | 'data'>, id = rooms.newId('evt')) => {
    await streamOf(rooms, streams, of.session).change(() => [factOf(rooms, of, { ...fact, id })])
  }
  return {
    async writing(given) {
      const { paths } = given
      const taint = highest(given.taint, await ofProcess(given.process))
      const intent = rooms.newId('evt')
      const isNoted = taint !== 'none' && paths.length > 0
      if (isNoted) await note(given, { type: 'taint-writing', data: { intent, paths: [...paths], taint } }, intent)
      return {
        wrote: (written) =>
          wrote(
            { ...written, taint: highest(written.taint, taint) },
            { intent: isNoted ? intent : null, note: (fact) => note(given, fact) },
          ),
      }
    },
  }
}

type Ending = {
  readonly intent: string | null
  readonly note: (fact: Pick<NewEvent, 'type' | 'data'>) => Promise<void>
}

async function wrote({ paths, taint, sources }: Parameters<Written['wrote']>[0], { intent, note }: Ending): Promise<void> {
  if (intent === null && (taint === 'none' || paths.length === 0)) return
  const data = { ...(intent === null ? {} : { intent }), paths: [...paths], taint, sources: sources.slice(0, mostSources) }
  await note({ type: 'taint-written', data })
}

function streamOf({ journal, store }: PolicyRooms, streams: Map<SessionId, Stream<null>>, session: SessionId): Stream<null> {
  const stream = streams.get(session) ?? openStream({ journal, store }, streamLane(`taint:${session}`), { fold, session })
  streams.delete(session)
  streams.set(session, stream)
  const [oldest] = streams.keys()
  if (streams.size > mostOpen && oldest !== undefined) streams.delete(oldest)
  return stream
}

function factOf({ clock }: PolicyRooms, { process, session }: Writing, fact: Pick<NewEvent, 'id' | 'type' | 'data'>): NewEvent {
  const about = { visibility: 'user-detail', cause: null, correlation: null, v: 1 } as const
  return { ...about, ...fact, at: clock.now(), actor: `process:${process}`, session }
}
