// Giving memory back. With gigabytes at hand the collector lets a burst of work leave hundreds of megabytes behind, and keeps them.
// Running it more eagerly costs every turn a tenth of its processor time; running it once, when a burst is over, costs nobody anything.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { readonly type: 'major'; readonly execution: 'async'; readonly flavor: 'last-resort' }) => Promise<void>

/** Below this there is nothing to give back: it is what a hub at rest has. */
const smallHeapBytes = 80 * 1024 * 1024

/**
 * A watch to be called about once a second with how much work was begun so far and whether some is under way. When a second passed
 * without any, after work that left a large heap, the heap is collected and its pages are given back: about a tenth of a second.
 */
export function heapWatch(given: { readonly heapBytes?: () => number; readonly collect?: () => Promise<void> } = {}) {
  const heapBytes = given.heapBytes ?? (() => getHeapStatistics().total_heap_size)
  const collect = given.collect ?? collectAll
  let seen = 0
  let collected = 0
  return (begun: number, isBusy: boolean): void => {
    const isQuiet = begun === seen && !isBusy
    seen = begun
    if (!isQuiet || begun === collected) return
    collected = begun
    if (heapBytes() > smallHeapBytes) void collect()
  }
}

let engine: Collect | undefined

async function collectAll(): Promise<void> {
  if (!engine) {
    setFlagsFromString('--expose-gc')
    engine = runInNewContext('gc') as Collect
  }
  await engine({ type: 'major', execution: 'async', flavor: 'last-resort' })
}
