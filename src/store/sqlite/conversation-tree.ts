// Where messages stand in their tree. Each placed message knows its depth and one far ancestor (a jump), so that the ancestor at any
// depth is found in O(log n) reads also in a conversation of 100,000 messages. The jumps are those of Myers' skew-binary lists.
import type { Db } from './db.ts'
import type { TableNames } from './projection.ts'

type Spot = { readonly id: string; readonly parent: string | null; readonly depth: number | null; readonly jump: string | null }

/** Gives a message its place below `parent`. A message that has a place keeps it. An unknown parent makes it a root. */
export function placeMessage(db: Db, t: TableNames, { id, parent }: { readonly id: string; readonly parent: string | null }): boolean {
  return db.run(placing(t('messages')), parent, id) > 0
}

/**
 * In one statement: p is the parent, f its jump and g the jump of that. Where both jumps are equally long the new one is both
 * together, else it is the step to the parent.
 */
function placing(messages: string): string {
  return `UPDATE ${messages} AS m SET parent = ?1, depth = ${depthBelow}, jump = ${jumpBelow('m.id')}
    FROM ${above(messages, '?1')} WHERE m.id = ?2 AND m.depth IS NULL`
}

/** Depth and jump of a new message, and where they come from. `parent`, `id`: how the statement names them. */
export function placeBelow(messages: string, parent: string, id: string): string {
  return `${depthBelow}, ${jumpBelow(id)} FROM ${above(messages, parent)}`
}

const depthBelow = 'CASE WHEN p.depth IS NULL THEN 0 ELSE p.depth + 1 END'
const jumpBelow = (id: string) =>
  `CASE WHEN p.depth IS NULL THEN ${id} WHEN g.id IS NULL OR p.depth - f.depth <> f.depth - g.depth THEN p.id ELSE g.id END`
const above = (messages: string, parent: string) =>
  `(SELECT 1) LEFT JOIN ${messages} p ON p.id = ${parent} LEFT JOIN ${messages} f ON f.id = coalesce(p.jump, p.id)
      LEFT JOIN ${messages} g ON g.id = coalesce(f.jump, f.id)`

/** The ancestor (or the message itself) at that depth; null when the message has no place or stands above it. */
export function ancestorAt(db: Db, id: string, depth: number): string | null {
  const t = (name: string) => name
  let at = spot(db, t, id)
  while (at !== null && at.depth !== null && at.depth > depth) {
    const far: Spot | null = at.jump === null ? null : spot(db, t, at.jump)
    const isNear = far === null || far.depth === null || far.depth < depth || far.id === at.id
    at = isNear ? (at.parent === null ? null : spot(db, t, at.parent)) : far
  }
  return at?.depth === depth ? at.id : null
}

/** The depth of a placed message, null of any other. */
export function depthOf(db: Db, id: string): number | null {
  return spot(db, (name) => name, id)?.depth ?? null
}

function spot(db: Db, t: TableNames, id: string): Spot | null {
  return db.get<Spot>(`SELECT id, parent, depth, jump FROM ${t('messages')} WHERE id = ?`, id) ?? null
}
