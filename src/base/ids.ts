// Prefixed ULIDs (DESIGN section 5): prefix, underscore, 48 bits of time and 80 random bits in Crockford's base 32.
// Branded, so that a function which wants a LaneId can't be given a TurnId. Runs in the browser too.

declare const brand: unique symbol
export type Id<Kind extends string> = string & { readonly [brand]: Kind }

const idKinds = [
  'ses', 'prc', 'msg', 'evt', 'ent', 'trn', 'ask', 'tmr', 'tsk', 'run', 'apr', 'art', 'ntf', 'nod', 'con', 'req', 'doc', 'tok', 'att',
] as const // biome-ignore format: one line reads better
export type IdKind = (typeof idKinds)[number]

export type SessionId = Id<'ses'>
export type ProcessId = Id<'prc'>
export type MessageId = Id<'msg'>
export type EventId = Id<'evt'>
export type TurnId = Id<'trn'>
export type AskId = Id<'ask'>
/** Of an approval: the digits of its ask. */
export type ApprovalId = Id<'apr'>
export type NodeId = Id<'nod'>
/** An entry's id is unique in its lane. An edge makes it from the sender and the client's id; inside it is a fresh one. */
export type EntryId = Id<'ent'>
export type TimerId = Id<'tmr'>
/**
 * A lane is the single writer of one process, and is named by the process: prc_...
 * A stream (journal/stream.ts) is a lane without a mailbox: a session's, a tenant's, a project's own facts.
 */
export type LaneId = Id<'lane'>

/** The approval that an ask of that kind is, and back. */
export function approvalOf(ask: AskId): ApprovalId {
  return renamed('apr', ask)
}
export function askOfApproval(approval: ApprovalId): AskId {
  return renamed('ask', approval)
}

function renamed<K extends IdKind>(kind: K, id: Id<string>): Id<K> {
  const other = `${kind}_${id.slice(4)}`
  if (isId(kind, other)) return other
  throw new Error(`${id} has no digits of an id`)
}

export type NewId = <K extends IdKind>(kind: K) => Id<K>

/** The digits of Crockford's base 32: no I, L, O and U. */
export const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const pattern = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/

/** A source of ids that sort by time; two ids of one millisecond sort by a counter in the random part. */
export function ulids(now: () => number): NewId {
  const random = new Uint8Array(16)
  let lastMs = -1
  return ((kind: string) => {
    const ms = Math.max(now(), lastMs)
    if (ms === lastMs) increment(random)
    else draw(random)
    for (let i = 0; i < 16; i++) random[i] = (random[i] as number) & 31
    lastMs = ms
    return `${kind}_${time(ms)}${text(random)}`
  }) as NewId
}

const pool = new Uint8Array(4096)
let drawn = pool.length

/** Random bytes are fetched many at a time: a fetch costs more than the rest of an id. Each is given out once. */
function draw(digits: Uint8Array): void {
  if (drawn + digits.length > pool.length) {
    crypto.getRandomValues(pool)
    drawn = 0
  }
  digits.set(pool.subarray(drawn, drawn + digits.length))
  drawn += digits.length
}

/** Whether `text` is an id of that kind: prefix and 26 characters of Crockford's base 32. */
export function isId<K extends IdKind>(kind: K, value: unknown): value is Id<K> {
  return typeof value === 'string' && value.startsWith(`${kind}_`) && pattern.test(value)
}

/** Milliseconds since 1970 at which the id was made. */
export function timeOf(id: Id<string>): number {
  return numberOf(id.slice(4, 14))
}

/** What digits of Crockford's base 32 mean; exact for at most ten of them. */
export function numberOf(digits: string): number {
  let value = 0
  for (const digit of digits) value = value * 32 + crockford.indexOf(digit)
  return value
}

export function laneOf(process: ProcessId): LaneId {
  return process as string as LaneId
}
/** The lane of a stream (journal/stream.ts), named by what it holds: `scope:project/garden`, `inbox:ada`. */
export function streamLane(name: `${string}:${string}`): LaneId {
  return name as LaneId
}
export function processOf(lane: LaneId): ProcessId {
  return lane as string as ProcessId
}

function time(ms: number): string {
  let out = ''
  for (let left = ms, i = 0; i < 10; i++) {
    out = crockford[left % 32] + out
    left = Math.floor(left / 32)
  }
  return out
}

function text(digits: Uint8Array): string {
  let out = ''
  for (const digit of digits) out += crockford[digit]
  return out
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const next = ((digits[i] as number) + 1) & 31
    digits[i] = next
    if (next !== 0) return
  }
}
