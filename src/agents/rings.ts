// Rings in a graph of names: who can come back to themselves. Pure; no recursion, so that a long line of names is no deep stack.

/** `ring`: one shortest way round, from its first name in alphabetical order. `more`: names that can reach the ring and be reached by it. */
export type Ring = { readonly ring: readonly string[]; readonly more: number }

type Targets = ReadonlyMap<string, readonly string[]>

/** One ring for each group of names that can all reach each other, by first name; a name that leads to itself is one too. */
export function ringsAmong(targets: Targets): readonly Ring[] {
  const rings = groupsOf(targets).flatMap((group) => {
    const [start = ''] = [...group].sort()
    if (group.size === 1 && targets.get(start)?.includes(start) !== true) return []
    const ring = shortestRound(targets, start, group)
    return [{ ring, more: group.size - ring.length }]
  })
  return rings.sort((a, b) => ((a.ring[0] ?? '') < (b.ring[0] ?? '') ? -1 : 1))
}

/** Strongly connected groups, by two walks: the order of finishing, then the reversed graph in the reverse of that order. */
function groupsOf(targets: Targets): readonly ReadonlySet<string>[] {
  const seen = new Set<string>()
  const finished = [...targets.keys()].flatMap((name) => finishing(targets, name, seen))
  const back = reversed(targets)
  const taken = new Set<string>()
  return finished.reverse().flatMap((name) => {
    const group = finishing(back, name, taken)
    return group.length === 0 ? [] : [new Set(group)]
  })
}

/** All names that are reached and not yet seen, each after those that it leads to. */
function finishing(targets: Targets, start: string, seen: Set<string>): string[] {
  if (seen.has(start)) return []
  seen.add(start)
  const order: string[] = []
  const path = [{ name: start, next: 0 }]
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const target = targets.get(top.name)?.[top.next++]
    if (target === undefined) {
      order.push(top.name)
      path.pop()
    } else if (!seen.has(target)) {
      seen.add(target)
      path.push({ name: target, next: 0 })
    }
  }
  return order
}

function reversed(targets: Targets): Targets {
  const back = new Map<string, string[]>([...targets.keys()].map((name) => [name, []]))
  for (const [name, all] of targets) for (const target of all) back.get(target)?.push(name)
  return back
}

/** Breadth first, within the group. */
function shortestRound(targets: Targets, start: string, group: ReadonlySet<string>): readonly string[] {
  const from = new Map<string, string>()
  const queue = [start]
  for (const name of queue) {
    for (const target of targets.get(name) ?? []) {
      if (target === start) return wayTo(from, start, name)
      if (!group.has(target) || from.has(target)) continue
      from.set(target, name)
      queue.push(target)
    }
  }
  return [start]
}

function wayTo(from: ReadonlyMap<string, string>, start: string, end: string): readonly string[] {
  const way = [end]
  for (let name = end; name !== start; ) {
    name = from.get(name) ?? start
    way.push(name)
  }
  return way.reverse()
}
