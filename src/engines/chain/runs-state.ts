// The chains that are at work, as a fold of the stream `chains:runs`: who works for them, which folders are theirs, who waits for
// which. What has ended is forgotten, so that it stays small. Pure.
import { sep } from 'node:path'
import { type AskId, isId, type ProcessId, type SessionId, type TurnId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Fold } from '../../journal/stream.ts'

export type Run = {
  readonly turn: TurnId
  readonly process: ProcessId
  readonly project: string
  readonly title: string
  /** Where in the journal it began; 0: in this life. */
  readonly from: number
  readonly workers: readonly { readonly session: SessionId; readonly process: ProcessId }[]
  /** Folders that it alone may change; null: none yet. */
  readonly holds: readonly string[] | null
  readonly waits: { readonly ask: AskId; readonly folders: readonly string[] } | null
  /** What is answered when a worker asks a person for something; of each worker the newest. */
  readonly watches: readonly { readonly worker: ProcessId; readonly ask: AskId }[]
  /** A person was told where its copies lie, so that they outlive it. */
  readonly keeps: boolean
  /** It is over, and its copies lie in these folders still; null: it is at work. */
  readonly left: readonly string[] | null
}

/** Events by which a worker asks a person for something. */
export const asking: ReadonlySet<string> = new Set(['approval-requested', 'question-asked'])

/** In the order in which they began. */
export type RunsState = readonly Run[]

export const runsFold: Fold<RunsState> = {
  empty: [],
  evolve(state, event) {
    const { turn } = event.data
    if (!isId('trn', turn)) return state
    const change = changes[event.type]
    return change ? change(state, { turn, data: event.data, cursor: 'cursor' in event ? event.cursor : 0 }) : state
  },
}

type Given = { readonly turn: TurnId; readonly data: JsonObject; readonly cursor: number }

const changes: Readonly<Record<string, (state: RunsState, given: Given) => RunsState>> = {
  'chain-began': (state, { turn, data, cursor }) => {
    const { process, project, title } = data
    if (!isId('prc', process) || state.some((run) => run.turn === turn)) return state
    return [
      ...state,
      {
        turn,
        process,
        project: String(project),
        title: String(title),
        from: cursor,
        workers: [],
        holds: null,
        waits: null,
        watches: [],
        keeps: false,
        left: null,
      },
    ]
  },
  'chain-engaged': (state, { turn, data: { session, worker } }) => {
    if (!isId('ses', session) || !isId('prc', worker)) return state
    return changed(state, turn, (run) => ({ ...run, workers: [...run.workers, { session, process: worker }] }))
  },
  'chain-claimed': (state, { turn, data }) => changed(state, turn, (run) => ({ ...run, holds: foldersIn(data), waits: null })),
  'chain-waits': (state, { turn, data }) => {
    const { ask } = data
    return isId('ask', ask) ? changed(state, turn, (run) => ({ ...run, waits: { ask, folders: foldersIn(data) } })) : state
  },
  'chain-watches': (state, { turn, data: { worker, ask } }) => {
    if (!isId('prc', worker) || !isId('ask', ask)) return state
    return changed(state, turn, (run) => ({ ...run, watches: [...run.watches.filter((one) => one.worker !== worker), { worker, ask }] }))
  },
  'chain-keeps': (state, { turn }) => changed(state, turn, (run) => ({ ...run, keeps: true })),
  'chain-left': (state, { turn, data }) =>
    changed(state, turn, (run) => ({ ...run, workers: [], holds: null, waits: null, watches: [], left: foldersIn(data) })),
  'chain-over': (state, { turn }) => state.filter((run) => run.turn !== turn),
}

function changed(state: RunsState, turn: TurnId, change: (run: Run) => Run): RunsState {
  return state.map((run) => (run.turn === turn ? change(run) : run))
}

function foldersIn({ folders }: JsonObject): readonly string[] {
  return Array.isArray(folders) ? folders.filter((one): one is string => typeof one === 'string') : []
}

/** The run that holds one of the folders, or a folder in or around one of them; null: they are free. */
export function holderOf(state: RunsState, turn: TurnId, folders: readonly string[]): Run | null {
  return state.find((run) => run.turn !== turn && run.holds !== null && overlap(run.holds, folders)) ?? null
}

/** Who stands in line and could begin now; of several for the same folders only the first. */
export function nextOf(state: RunsState): readonly Run[] {
  const taken: (readonly string[])[] = []
  return state.filter(({ turn, waits }) => {
    if (waits === null || holderOf(state, turn, waits.folders) !== null) return false
    if (taken.some((folders) => overlap(folders, waits.folders))) return false
    taken.push(waits.folders)
    return true
  })
}

/** Chains that are over and left copies in one of the folders, or in a folder in or around it. */
export function leftIn(state: RunsState, folders: readonly string[]): readonly Run[] {
  return state.filter(({ left }) => left !== null && overlap(left, folders))
}

/** A project without folders is named by itself: `project:garden`. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  const within = (path: string, folder: string) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  return one.some((a) => other.some((b) => within(a, b) || within(b, a)))
}
