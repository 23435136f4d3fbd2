// Connections to one PostgreSQL database. The only place that knows the driver and its error codes.

import { Client, type ClientConfig, types } from 'pg'
import { messageOf, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'

export type Value = null | number | string | boolean | readonly (null | number | string | boolean)[]

/** One connection. Queries that are not awaited one by one travel together; they run in the order given. */
export type Db = {
  /** All rows. `Row` is what the columns of that statement are: it is not checked. The text must be constant: it is prepared. */
  all<Row>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** How many rows were changed, and the word that the server answered with. */
  run(sql: string, values?: readonly Value[]): Promise<{ readonly changed: number; readonly command: string }>
  /** Several statements without values: DDL. Not prepared. */
  exec(sql: string): Promise<void>
  /** Cuts the connection off. */
  drop(): void
}

export type Connections = {
  /** Runs `work` alone on a connection; waits for a free one. Throws Unavailable when none can be made. */
  alone<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Single statements, many at a time, on a connection of their own. */
  readonly shared: Pick<Db, 'all' | 'run'>
  close(): Promise<void>
}

export type ConnectionOptions = {
  /** postgres://user@host/database, or with ?host=/folder for a socket. */
  readonly url: string
  /** How many groups may be in flight, 1 to 16. */
  readonly connections: number
  readonly log: Log
}

type Slot = { client: Promise<Client> | null }

export function openConnections(options: ConnectionOptions): Connections {
  const writers: Slot[] = Array.from({ length: options.connections }, () => ({ client: null }))
  const reader: Slot = { client: null }
  const free = [...writers]
  const standing: ((slot: Slot) => void)[] = []

  async function alone<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const slot = free.pop() ?? (await new Promise<Slot>((go) => standing.push(go)))
    try {
      return await work(dbOver(await clientIn(slot, options)))
    } finally {
      const next = standing.shift()
      if (next) next(slot)
      else free.push(slot)
    }
  }
  const shared: Connections['shared'] = {
    all: async (sql, values) => translated(async () => dbOver(await clientIn(reader, options)).all(sql, values)),
    run: async (sql, values) => translated(async () => dbOver(await clientIn(reader, options)).run(sql, values)),
  }
  async function close(): Promise<void> {
    for (const slot of [...writers, reader]) {
      const client = await slot.client?.catch(() => null)
      slot.client = null
      await client?.end()
    }
  }
  return { alone, shared, close }
}

/** The slot's connection; a new one when the last was lost. */
function clientIn(slot: Slot, options: ConnectionOptions): Promise<Client> {
  if (slot.client) return slot.client
  const client = new Client(clientConfig(options.url))
  const lost = () => {
    if (slot.client === connecting) slot.client = null
  }
  client.on('error', (error) => {
    options.log('warn', 'connection to the database lost', { why: messageOf(error) })
    lost()
  })
  client.on('end', lost)
  const connecting = client.connect().then(
    () => client,
    (thrown: unknown) => {
      lost()
      throw new Unavailable(`the database can't be reached: ${messageOf(thrown)}`, { cause: thrown })
    },
  )
  slot.client = connecting
  return connecting
}

const bigintOid = 20

function clientConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'steward',
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
    statement_timeout: 30_000,
    keepAlive: true,
    pipeline: true,
    types: {
      // Cursors and times stay below 2^53.
      getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === bigintOid ? Number : types.getTypeParser(oid, format ?? 'text')),
    },
  } as ClientConfig
}

function dbOver(client: Client): Db {
  const query = (sql: string, values: readonly Value[] = []) => client.query({ name: nameOf(sql), text: sql, values: [...values] })
  return {
    all: async <Row>(sql: string, values?: readonly Value[]) => (await query(sql, values)).rows as Row[],
    async run(sql, values) {
      const { rowCount, command } = await query(sql, values)
      return { changed: rowCount ?? 0, command }
    },
    async exec(sql) {
      await client.query(sql)
    },
    drop: () => void client.end().catch(() => undefined),
  }
}

const names = new Map<string, string>()

/** Prepared statements are told apart by a name; equal texts have equal names. */
function nameOf(sql: string): string {
  const known = names.get(sql)
  if (known) return known
  const name = `s${names.size + 1}`
  names.set(sql, name)
  return name
}

/** Whether the statement's own values were at fault (SQLSTATE classes 22 and 23), not the server or the wire. */
export function isDataFault(thrown: unknown): boolean {
  return /^2[23]/.test(stateOf(thrown) ?? '')
}

/** Whether another transaction was in the way (a deadlock, a key that both inserted): the same again, read anew, will do. */
export function isCollision(thrown: unknown): boolean {
  return ['23505', '40001', '40P01'].includes(stateOf(thrown) ?? '')
}

/** The SQLSTATE that the server sent; null when the error is of the wire. */
export function stateOf(thrown: unknown): string | null {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && /^[0-9A-Z]{5}$/.test(thrown.code)
    ? thrown.code
    : null
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof Unavailable || isDataFault(thrown)) throw thrown
    throw new Unavailable(`the database can't answer: ${messageOf(thrown)}`, { cause: thrown })
  }
}
