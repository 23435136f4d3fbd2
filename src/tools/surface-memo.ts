// What was worked out once about the same asker and the same tools holds for the next turn too. Only whether a tool is offered at
// present is asked each time.
import { discoveryBlock } from './discovery.ts'
import { type AskedFrom, type Asker, type Classified, callable, classify } from './surface.ts'
import type { Tool } from './tool.ts'

export type SurfaceMemo = {
  /** surface.ts's `classify` over all tools. */
  classify(asker: Asker, place: AskedFrom): Classified
  /** Names that may be called, and the text about those without schemas. */
  words(classified: Classified): { readonly callable: readonly string[]; readonly discovery: string }
  /** Another tool came. */
  forget(): void
}

/** A hub has a few dozen agents; what was not used for longest is worked out again. */
const mostKept = 200

export function openSurfaceMemo(registry: ReadonlyMap<string, Tool>): SurfaceMemo {
  const classes = new Map<string, Classified>()
  const texts = new Map<string, ReturnType<SurfaceMemo['words']>>()
  return {
    classify(asker, { roots, ...place }) {
      const absent = [...registry.values()].flatMap((tool) => (tool.offered?.() === false ? tool.name : []))
      const key = JSON.stringify([asker, place, roots.length === 0, absent])
      return kept(classes, key, () => classify([...registry.values()], asker, { ...place, roots }))
    },
    words: (classified) =>
      kept(texts, `${classified.primary}|${classified.deferred}`, () => ({
        callable: callable(classified),
        discovery: discoveryBlock((name) => registry.get(name), classified.deferred),
      })),
    forget() {
      classes.clear()
      texts.clear()
    },
  }
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make()
  known.delete(key)
  known.set(key, found)
  const [oldest] = known.keys()
  if (known.size > mostKept && oldest !== undefined) known.delete(oldest)
  return found
}
