// Lists of the hub, page after page.

import type { Ask, Hub, Shape } from './hub.ts'

export type PageOf<T> = { readonly items: readonly T[]; readonly next: string | null }

/** Every row of the list at that path, in its order. */
export async function everyRow<T>(hub: Hub, path: string, shape: Shape<PageOf<T>>, query: Ask['query'] = {}): Promise<readonly T[]> {
  const rows: T[] = []
  let after: string | undefined
  for (;;) {
    const page = await hub.call('GET', path, shape, { query: { ...query, limit: 500, after } })
    rows.push(...page.items)
    if (page.next === null || page.items.length === 0) return rows
    after = page.next
  }
}
