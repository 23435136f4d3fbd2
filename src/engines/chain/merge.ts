// Brings what branches changed back into the project. A file that one branch changed, or all in the same way, is taken; what they
// changed in different ways, or what was changed in the project meanwhile, is a conflict: it stays as it is, and every version lies
// where it was made until somebody has brought them together (E31).
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { baseOf, branchIn, copyOne, type Snapshot, scan, stateIn, stateOf } from './branches.ts'

export type Conflict = {
  /** Absolute. */
  readonly path: string
  /** From 0; [] when only the project's own file changed meanwhile. */
  readonly branches: readonly number[]
  readonly why: string
  /** What the project had there when all was brought back; null: nothing. */
  readonly state: string | null
}
export type Merged = { readonly taken: readonly string[]; readonly removed: readonly string[]; readonly conflicts: readonly Conflict[] }

type Clash = Omit<Conflict, 'state'>
/** null: gone. */
type Change = { readonly branch: number; readonly path: string; readonly state: string | null }
type Wish = { readonly path: string; readonly state: string | null; readonly branch: number }

/** Done again it changes nothing more. */
export async function mergeBranches(
  {
    roots,
    run,
    count,
  }: {
    readonly roots: readonly string[]
    readonly run: string
    readonly count: number
  },
  signal: AbortSignal,
): Promise<Merged> {
  const taken: string[] = []
  const removed: string[] = []
  const conflicts: Clash[] = []
  for (const root of roots) {
    const base = await baseOf(root, run)
    if (base === null) throw new Error(gone)
    const changes = await changesOf({ root, run, count }, base)
    const planned = planMerge(changes)
    conflicts.push(...planned.conflicts.map((one) => ({ ...one, path: join(root, one.path) })))
    // Who was replaced meanwhile may have looked at what the other had removed already.
    if ((await baseOf(root, run)) === null) throw new Error(gone)
    for (const wish of planned.wishes) {
      signal.throwIfAborted()
      const why = await carriedOut({ root, run }, wish, stateIn(base, wish.path))
      const path = join(root, wish.path)
      if (why !== null) conflicts.push({ path, branches: [wish.branch], why })
      else if (wish.state === null) removed.push(path)
      else taken.push(path)
    }
  }
  const open = await Promise.all(conflicts.map(async (one) => ({ ...one, state: await stateOf(one.path) })))
  return { taken: taken.toSorted(), removed: removed.toSorted(), conflicts: open }
}

/** Those that nobody has touched since: every version of theirs lies in the copies alone. */
export async function stillOpen(conflicts: Merged['conflicts']): Promise<readonly string[]> {
  const now = await Promise.all(conflicts.map(async ({ path, state }) => ((await stateOf(path)) === state ? [path] : [])))
  return now.flat()
}

const gone = 'The folders of the parts are not there any more.'

/** Pure. */
export function planMerge(changes: readonly Change[]): { readonly wishes: readonly Wish[]; readonly conflicts: readonly Clash[] } {
  const byPath = Map.groupBy(changes, ({ path }) => path)
  const written = new Set(changes.filter(({ state }) => state !== null).map(({ path }) => path))
  const wishes: Wish[] = []
  const conflicts: Clash[] = []
  for (const [path, all] of byPath) {
    const branches = all.map(({ branch }) => branch)
    const [first] = all
    if (first === undefined) continue
    if (all.some(({ state }) => state !== first.state)) conflicts.push({ path, branches, why: 'it was changed in different ways' })
    else if (first.state !== null && above(path).some((one) => written.has(one)))
      conflicts.push({ path, branches, why: 'another branch made a file where this one needs a folder' })
    else wishes.push(first)
  }
  return { wishes, conflicts }
}

function above(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

type Place = { readonly root: string; readonly run: string }

async function changesOf({ root, run, count }: Place & { readonly count: number }, base: Snapshot): Promise<readonly Change[]> {
  const all: Change[] = []
  for (let branch = 0; branch < count; branch++) {
    const folder = branchIn(root, run, branch)
    // Put there by somebody else: what it leads to is nobody's part.
    if ((await stateOf(folder)) !== 'folder') throw new Error(gone)
    const now = await scan(folder)
    // Too large to be looked at is too large to be taken.
    if (typeof now === 'string') throw new Error(`The branch ${branch + 1} can't be brought back: ${now}.`)
    for (const path of new Set([...Object.keys(base), ...Object.keys(now)])) {
      const state = stateIn(now, path)
      if (state !== stateIn(base, path)) all.push({ branch, path, state })
    }
  }
  return all
}

/** Why it was not; null: it is as wished. */
async function carriedOut({ root, run }: Place, { path, state, branch }: Wish, before: string | null): Promise<string | null> {
  const target = join(root, path)
  const now = await stateOf(target)
  // What had to go is gone also where a folder has taken its place.
  if (now === state || (state === null && now === 'folder')) return null
  if (now !== before) return 'it was changed in the project meanwhile'
  if (await hasLinkAbove(root, path)) return 'there is a link among its folders'
  if (state === null) {
    await rm(target, { force: true })
    return null
  }
  await mkdir(dirname(target), { recursive: true })
  const beside = `${target}.steward-merge`
  await copyOne(join(branchIn(root, run, branch), path), beside)
  await rename(beside, target)
  return null
}

/** A link among its folders could lead out of the project, now or in a moment. */
async function hasLinkAbove(root: string, path: string): Promise<boolean> {
  const states = await Promise.all(above(path).map((folder) => stateOf(join(root, folder))))
  return states.some((state) => state?.startsWith('link ') ?? false)
}
