// A conversation for tests of the context: real lanes, SQLite and HTTP, the quick engine, a scripted model that may write minutes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '../../src/base/ids.ts'
import {
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedModel,
  withoutNotices,
} from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { type Hub, openHub } from '../quick/hub.ts'

export type Talk = {
  hub: Hub
  readonly model: ScriptedModel
  /** Requests of turns, oldest first: those for minutes are left out. */
  asked(): readonly ScriptedRequest[]
  open(given?: { project?: string; roots?: readonly string[] }): Promise<SessionId>
  /** Says it and waits until its turn has settled. */
  say(session: SessionId, text: string, given?: Parameters<Hub['bench']['say']>[2]): Promise<Event>
  events(type: string): Promise<readonly Event[]>
  reopen(): Promise<void>
  close(): Promise<void>
}

export type TalkOptions = {
  /** Tokens; a function says what holds now. */
  readonly window?: number | (() => number)
  /** What the model writes when it is asked for minutes; default: next to nothing. */
  readonly minutes?: (request: ScriptedRequest) => string | ScriptedReply | Promise<string | ScriptedReply>
  readonly answer?: (question: string, request: ScriptedRequest) => string | ScriptedReply
}

export const folder = (): string => mkdtempSync(join(tmpdir(), 'steward-context-'))

export function isMinutes({ body }: ScriptedRequest): boolean {
  return String(body.messages?.[0]?.content).startsWith('You write the minutes')
}

/** The last line of a person in a request, without the hub's notices. */
export function questionIn({ body }: ScriptedRequest): string {
  return withoutNotices(String(body.messages?.findLast((message) => message.role === 'user')?.content))
}

/** All that a request says. */
export const said = (request: ScriptedRequest | undefined): string => JSON.stringify(request?.body.messages)

export async function openTalk(options: TalkOptions = {}): Promise<Talk> {
  const { window, minutes = () => '- They talked about the garden.', answer = (question) => `Noted: ${question.slice(0, 40)}` } = options
  const roots = folder()
  writeFileSync(join(roots, 'notes.txt'), 'The gate is green.\n')
  const model = await startScriptedModel({
    keep: 5_000,
    otherwise: (request) => (isMinutes(request) ? minutes(request) : answer(questionIn(request), request)),
  })
  const sizeNow = () => (typeof window === 'function' ? window() : (window ?? 0))
  const windowOf = window === undefined ? {} : { windowOf: () => ({ window: sizeNow(), maxOutput: Math.floor(sizeNow() / 8) }) }
  const talk: Talk = {
    hub: await openHub({ url: model.url, ...windowOf }),
    model,
    asked: () => model.requests.filter((request) => !isMinutes(request)),
    async open({ project = 'site', roots: given = [roots] } = {}) {
      const { projects, sessions } = talk.hub.bench.scopes
      if ((await projects.get(project)) === null) await projects.create({ name: project, title: 'The site', roots: given }, 'user:ada')
      return (await sessions.create({ user: 'ada', project }, 'user:ada')).value.id as SessionId
    },
    async say(session, text, given) {
      const { journal } = talk.hub.bench
      const from = journal.head()
      await talk.hub.bench.say(session, text, given)
      for await (const batch of journal.follow(from)) {
        const settled = batch.find((event) => event.type === 'turn-settled' && event.session === session)
        if (!settled) continue
        await journal.passed(settled.cursor)
        return settled
      }
      throw new Error('closed')
    },
    async events(type) {
      const found: Event[] = []
      for (let after = 0; ; ) {
        const { events } = await talk.hub.bench.journal.read({ after, limit: 2_000 })
        found.push(...events.filter((event) => event.type === type))
        if (events.length < 2_000) return found
        after = events.at(-1)?.cursor ?? after
      }
    },
    async reopen() {
      await talk.hub.context.close()
      talk.hub = await talk.hub.reopen()
    },
    async close() {
      await talk.hub.context.close()
      await talk.hub.bench.close()
      await model.close()
      rmSync(roots, { recursive: true, force: true })
    },
  }
  return talk
}
