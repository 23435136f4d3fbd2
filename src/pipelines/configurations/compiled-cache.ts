// Compiled agents, kept by number and size: the one that was not asked for the longest goes first.
import type { CompiledAgent } from './store.ts'

export type Sized = { readonly agent: CompiledAgent; readonly size: number }
export type CompiledCache = {
  /** `make` runs once for all who ask meanwhile; what throws is not kept. */
  get(key: string, make: () => Promise<Sized>): Promise<CompiledAgent>
  clear(): void
}

/** `size` in characters of the configurations; what runs of them takes a few times that. The last one stays, whatever its size. */
export function openCompiledCache(most: { readonly count: number; readonly size: number }): CompiledCache {
  const kept = new Map<string, { readonly made: Promise<Sized>; size: number }>()
  let size = 0
  const drop = (key: string) => {
    size -= kept.get(key)?.size ?? 0
    kept.delete(key)
  }
  const trim = () => {
    for (const [key] of kept) {
      if (kept.size <= 1 || (kept.size <= most.count && size <= most.size)) return
      drop(key)
    }
  }
  const start = (key: string, make: () => Promise<Sized>) => {
    const one = { made: make(), size: 0 }
    kept.set(key, one)
    one.made.then(
      (made) => {
        if (kept.get(key) !== one) return
        one.size = made.size
        size += made.size
        trim()
      },
      () => kept.get(key) === one && drop(key),
    )
    return one
  }
  return {
    async get(key, make) {
      const known = kept.get(key)
      if (known) {
        kept.delete(key)
        kept.set(key, known)
      }
      const one = known ?? start(key, make)
      trim()
      return (await one.made).agent
    },
    clear() {
      kept.clear()
      size = 0
    },
  }
}
