// What lies on files lies on their copies too: a part that reads the copy of a tainted file is as tainted as by the file itself (E12).
import { join } from 'node:path'
import type { ProcessInfo } from '../../lanes/engine.ts'
import { type Taint, taints } from '../../policy/decision.ts'
import type { Taints } from '../../policy/policy.ts'
import { baseOf, branchIn, type Making } from './branches.ts'

/** More than these in one copy, and it is marked as a whole. */
const mostMarks = 500

/** Does nothing twice that matters: a mark that is there stays. */
export async function markCopies(
  taint: Pick<Taints, 'writing' | 'ofPaths'>,
  { id: process, session }: Pick<ProcessInfo, 'id' | 'session'>,
  { roots, run, count }: Making,
): Promise<void> {
  for (const root of roots) {
    const marked = await markedIn(taint, root, Object.keys((await baseOf(root, run)) ?? {}))
    for (const [level, files] of marked) {
      const copies = Array.from({ length: count }, (_, at) => branchIn(root, run, at))
      const paths = copies.flatMap((copy) => (files.length > mostMarks ? [copy] : files.map((file) => join(copy, file))))
      const marks = await taint.writing({ process, session, paths, taint: level })
      await marks.wrote({ paths, taint: level, sources: [`process:${process}`] })
    }
  }
}

/** By taint: the files that carry it. Most often one look at the folder says that there are none. */
async function markedIn(
  taint: Pick<Taints, 'ofPaths'>,
  root: string,
  files: readonly string[],
): Promise<ReadonlyMap<Taint, readonly string[]>> {
  const found = new Map<Taint, string[]>()
  if ((await taint.ofPaths([root])) === 'none') return found
  for (const file of files) {
    const level = await taint.ofPaths([join(root, file)])
    if (level !== taints[0]) found.set(level, [...(found.get(level) ?? []), file])
  }
  return found
}
