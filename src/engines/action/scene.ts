// What a turn of actions is about: what came in, the reports among it, what was said to the model so far.
import type { Turn } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Report } from '../../work/report.ts'
import type { OwnLine } from '../turn/ask.ts'
import { type AttachedRooms, attachedLines } from '../turn/attached.ts'
import type { CallRooms } from '../turn/calls.ts'
import { type Guard, openGuard } from '../turn/guard.ts'
import { linesFrom } from '../turn/lines.ts'
import { hearTaint, type Mind, type Minds, mindOf } from '../turn/mind.ts'
import type { ModelRooms } from '../turn/model.ts'
import { noRoutes, type Routes, type TurnRoutes } from '../turn/route.ts'
import { reportIn } from '../turn/route-relay.ts'
import { type Setup, type SetupRooms, setupOf } from '../turn/setup.ts'
import { type Voice, voiceOf } from '../turn/voice.ts'

export type ActionRooms = SetupRooms &
  ModelRooms &
  CallRooms &
  AttachedRooms & {
    readonly tools: SetupRooms['tools'] & ModelRooms['tools'] & CallRooms['tools']
    readonly minds: Minds
    /** Absent: all work is for who leads. */
    readonly routes?: Routes
  }

export type Scene = {
  readonly turn: Turn
  readonly setup: Setup
  readonly voice: Voice
  readonly mind: Mind
  readonly guard: Guard
  readonly routes: TurnRoutes
  /** All work that the turn took so far. */
  readonly entries: readonly Entry[]
  /** Of these, what neither was told already nor went to somebody else. */
  readonly left: readonly Entry[]
  /** By the token that the model knows: ev1, ev2, ... Only of this turn. */
  readonly reports: ReadonlyMap<string, Report>
  /** The turn's own lines for the model. */
  readonly own: OwnLine[]
  /** More work came in. `told`: the person has been shown it already, so that the model need not be. */
  hear(entries: readonly Entry[], options?: { readonly told?: ReadonlySet<string> }): void
  /** Texts that came along with it, behind the lines of `hear`. */
  attach(entries: readonly Entry[]): Promise<void>
}

/** `how`: how this engine gives work away, in a few words for the model. */
export async function openScene(rooms: ActionRooms, turn: Turn, how: string): Promise<Scene> {
  const setup = await setupOf(rooms, turn)
  const mind = mindOf(turn, rooms.minds, setup.taint ?? 'none')
  const voice = voiceOf(turn, setup.agent.name)
  const entries: Entry[] = []
  const left: Entry[] = []
  const own: OwnLine[] = []
  const reports = new Map<string, Report>()
  const tokens = new Map<string, string>()
  return {
    ...{ turn, setup, mind, entries, left, own, reports },
    guard: openGuard(),
    voice,
    routes: rooms.routes?.of({ turn, setup, voice, corrects: true, how }) ?? noRoutes,
    async attach(more) {
      own.push(...(await attachedLines(rooms, { turn, mind }, more)))
    },
    hear(more, { told = new Set() } = {}) {
      hearTaint(mind, more)
      entries.push(...more)
      left.push(...more.filter((entry) => !told.has(entry.id)))
      for (const entry of more) {
        const report = reportIn(entry)
        if (report === null) continue
        const token = `ev${reports.size + 1}`
        reports.set(token, report)
        tokens.set(entry.id, token)
      }
      own.push(
        ...linesFrom(
          more.filter((entry) => !told.has(entry.id)),
          tokens,
        ),
      )
    },
  }
}

/** Whether somebody said something in this turn: a person, or with `anyone` also who acts for one. White space is nothing. */
export function hasWords(entries: readonly Entry[], { anyone }: { readonly anyone: boolean }): boolean {
  return entries.some(({ body, from }) => body.kind === 'message' && body.text.trim() !== '' && (anyone || from.startsWith('user:')))
}

/** By token, by the report's own id, as the only one, or by the name of who reports when only one does. */
export function reportFor(ref: string | null, reports: Scene['reports']): Report | null {
  const all = [...reports.values()]
  if (ref === null) return all.length === 1 ? (all[0] ?? null) : null
  const named = reports.get(ref) ?? all.find((report) => report.eventId === ref)
  if (named) return named
  const bySource = all.filter(({ worker }) => worker.agent === ref || worker.title === ref || worker.project === ref)
  return bySource.length === 1 ? (bySource[0] ?? null) : null
}
