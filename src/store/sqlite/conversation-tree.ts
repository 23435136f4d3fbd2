// Where messages stand in their tree. Each placed message knows its depth and one far ancestor (a jump), so that the ancestor at any
// depth is found in O(log n) reads also in a conversation of 100,000 messages. The jumps are those of Myers' skew-binary lists.
import type { Db } from './db.ts'
import type { TableNames } from './projection.ts'

type Spot = { readonly id: string; readonly parent: string | null; readonly depth: number | null; readonly jump: string | null }

/** Gives a message its place below `parent`. A message that has a place keeps it. An unknown parent makes it a root. */
export function placeMessage(db: Db, t: TableNames, message: { readonly id: string; readonly parent: string | null }): boolean {
  const own = spot(db, t, message.id)
  if (own === null || own.depth !== null) return false
  const above = message.parent === null ? null : spot(db, t, message.parent)
  const isRoot = above === null || above.depth === null
  const depth = isRoot ? 0 : (above.depth as number) + 1
  const jump = isRoot ? message.id : jumpBelow(db, t, above)
  db.run(`UPDATE ${t('messages')} SET parent = ?, depth = ?, jump = ? WHERE id = ?`, message.parent, depth, jump, message.id)
  return true
}

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

function jumpBelow(db: Db, t: TableNames, parent: Spot): string {
  const far = spot(db, t, parent.jump ?? parent.id)
  const farther = far && spot(db, t, far.jump ?? far.id)
  if (!far || !farther) return parent.id
  const isEven = gap(parent, far) === gap(far, farther)
  return isEven ? farther.id : parent.id
}

function gap(below: Spot, above: Spot): number {
  return (below.depth ?? 0) - (above.depth ?? 0)
}

function spot(db: Db, t: TableNames, id: string): Spot | null {
  return db.get<Spot>(`SELECT id, parent, depth, jump FROM ${t('messages')} WHERE id = ?`, id) ?? null
}
