// A hub's lower half for tests: real SQLite in a folder of its own, the journal, the lanes, the scopes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { laneOf, type MessageId, type NodeId, type SessionId, ulids } from '../../src/base/ids.ts'
import type { LogFields } from '../../src/base/log.ts'
import { type HandClock, handClock } from '../../src/base/testing.ts'
import { type Journal, openJournal } from '../../src/journal/journal.ts'
import type { Engine, Turn } from '../../src/lanes/engine.ts'
import { type Lanes, openLanes } from '../../src/lanes/lanes.ts'
import type { Actor } from '../../src/protocol/actor.ts'
import { openScopes, type ScopesOptions } from '../../src/scopes/open-scopes.ts'
import type { EngineOf, ScopeViews } from '../../src/scopes/rooms.ts'
import type { Scopes } from '../../src/scopes/scopes.ts'
import { sqliteConversation } from '../../src/store/sqlite/conversation.ts'
import { sqliteDocuments } from '../../src/store/sqlite/documents.ts'
import { sqliteScopes } from '../../src/store/sqlite/scopes-tree.ts'
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

export type Bench = {
  readonly home: string
  readonly scopes: Scopes
  readonly lanes: Lanes
  readonly journal: Journal
  readonly store: SqliteStore
  readonly views: ScopeViews
  readonly clock: HandClock
  readonly newId: ReturnType<typeof ulids>
  readonly logged: { what: string; fields: LogFields | undefined }[]
  /** Posts a message to the session's own process; resolves when it is accepted. */
  say(session: SessionId, text: string, given?: { parent?: MessageId | null; from?: Actor }): Promise<MessageId>
  /** Until an event of that type (that holds) was committed and every projection has passed it. */
  until(type: string, is?: (data: Record<string, unknown>) => boolean): Promise<void>
  /** Closes everything and opens it anew over the same folder. */
  reopen(more?: BenchOptions): Promise<Bench>
  close(): Promise<void>
}

export type BenchOptions = {
  readonly home?: string
  readonly engines?: readonly Engine[]
  readonly engineOf?: EngineOf
  readonly users?: readonly string[]
  readonly clock?: HandClock
  /** Folder of documents below the home; none: documents have no files. */
  readonly files?: boolean
  readonly bundledRoot?: string
  /** Changes what the scopes see of the lanes. */
  readonly lanes?: (real: Lanes) => ScopesOptions['lanes']
}

/** Answers every message with its own words. */
export const echo = engineOf('echo', async (turn) => {
  for (const [at, { body }] of turn.entries.entries()) if (body.kind === 'message') turn.say(`answer ${at}`, { text: `echo: ${body.text}` })
})

/** Asks one question and says what it was told. */
export const asker = engineOf('asker', async (turn) => {
  const answer = await turn.ask('colour', { kind: 'question', text: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] })
  turn.say('answer', { text: answer.kind === 'answer' ? String(answer.value) : '' })
})

export function engineOf(name: string, run: (turn: Turn) => Promise<void>): Engine {
  return { name, version: 1, accepts: [], run }
}

export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'steward-scopes-'))
  const clock = options.clock ?? handClock()
  const newId = ulids(clock.now)
  const logged: Bench['logged'] = []
  const log = (level: string, what: string, fields?: LogFields) => void (level !== 'debug' && logged.push({ what, fields }))
  const store = await openSqliteStore({ file: join(home, 'steward.db'), now: clock.now })
  const journal = await openJournal({ store: store.journal, clock, log })
  const lanes = openLanes({ journal, store: store.journal, clock, newId, log, node: newId('nod') as NodeId })
  const engines = options.engines ?? [echo, asker]
  for (const engine of engines) lanes.registerEngine(engine)
  const views = { scopes: sqliteScopes(store), conversation: sqliteConversation(store), documents: sqliteDocuments(store) }
  const users = new Set(options.users ?? ['ada', 'bob', 'alice'])
  const scopes = await openScopes({
    ...{ journal, store: store.journal, clock, newId, views, log },
    lanes: options.lanes?.(lanes) ?? lanes,
    users: async (name) => users.has(name),
    engineOf: options.engineOf ?? byName(engines),
    bundledRoot: options.bundledRoot ?? join(home, 'bundled'),
    documentsRoot: options.files ? join(home, 'documents') : null,
  })
  await lanes.start()

  async function shut(): Promise<void> {
    await scopes.close()
    await lanes.stop()
    await journal.close()
    await store.close()
  }

  return {
    ...{ home, scopes, lanes, journal, store, views, clock, newId, logged },
    async say(session, text, { from = 'user:ada', ...given } = {}) {
      const found = await scopes.sessions.get(session)
      if (found === null) throw new Error('no such session')
      const id = newId('msg')
      const body = { kind: 'message', session, text, ...given } as const
      const lane = laneOf(found.process as never)
      const posted = await lanes.post({ lane, id: newId('ent'), from, body, ref: id })
      if (!posted.ok) throw new Error(posted.reason)
      return id
    },
    async until(type, is = () => true) {
      for await (const batch of journal.follow(0)) {
        const found = batch.find((event) => event.type === type && is(event.data))
        if (found) return journal.passed(found.cursor)
      }
    },
    async reopen(more = {}) {
      await shut()
      return openBench({ ...options, ...more, home, clock })
    },
    async close() {
      await shut()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function byName(engines: readonly Engine[]): EngineOf {
  return async (agent) => {
    const name = agent ?? 'echo'
    return engines.some((engine) => engine.name === name) ? { agent: name, engine: name, params: {} } : null
  }
}
