// Lines hang together as a tree; one branch of it is shown. Reads a View, changes nothing.

import type { Line, View } from './view.ts'

/** One line of the chosen branch; `siblings` are the lines that stand at the same place, itself included, oldest first. */
export type BranchRow = { readonly line: Line; readonly siblings: readonly string[] }

/** The chosen branch, oldest first. */
export function branch(view: View): readonly BranchRow[] {
  const children = childrenOf(view)
  const rows: BranchRow[] = []
  const seen = new Set<string>()
  let at = view.leaf === null ? undefined : view.messages.get(view.leaf)
  while (at && !seen.has(at.id)) {
    seen.add(at.id)
    rows.push({ line: at, siblings: children.get(at.parent) ?? [at.id] })
    at = at.parent === null ? undefined : view.messages.get(at.parent)
  }
  return rows.reverse()
}

/** The leaf to choose when the person goes to that line: its newest descendant. */
export function leafBelow(view: View, id: string): string {
  const children = childrenOf(view)
  const seen = new Set<string>()
  let at = id
  for (;;) {
    seen.add(at)
    const next = children.get(at)?.at(-1)
    if (next === undefined || seen.has(next)) return at
    at = next
  }
}

/** What waits, in the order in which it will go. */
export function waiting(view: View): readonly Line[] {
  return view.queue.map((id) => view.messages.get(id)).filter((line) => line !== undefined)
}

const placed = new WeakMap<ReadonlyMap<string, Line>, ReadonlyMap<string | null, readonly string[]>>()

/** Lines by their parent. A line that still waits has no place yet. */
function childrenOf(view: View): ReadonlyMap<string | null, readonly string[]> {
  const known = placed.get(view.messages)
  if (known) return known
  const children = new Map<string | null, string[]>()
  for (const line of view.messages.values()) {
    if (!hasPlace(line)) continue
    const list = children.get(line.parent)
    if (list) list.push(line.id)
    else children.set(line.parent, [line.id])
  }
  placed.set(view.messages, children)
  return children
}

/** A person's line stands in the tree once a turn took it, and never when it was refused or taken back before; others' at once. */
function hasPlace(line: Line): boolean {
  if (line.status === 'queued') return false
  return line.role !== 'user' || line.seenAt !== undefined || (line.status !== 'failed' && line.status !== 'stopped')
}
