// Eddie's recorded cases about homes, settings, languages, projects, sessions and the ends of workers, each as a real call. Where
// Steward differs on purpose the test says so, and docs/compatibility.md says why.
import { afterEach, describe, expect, test } from 'vitest'
import { laneOf, type ProcessId, type SessionId } from '../../src/base/ids.ts'
import type { CloseReason } from '../../src/protocol/entry.ts'
import type { ProcessStatus } from '../../src/protocol/process.ts'
import { parentEvent, type StatusChange } from '../../src/scopes/close-event.ts'
import { findLanguage, type LanguageKey, type LanguageLayers, languageOf } from '../../src/scopes/language.ts'
import { homeOf } from '../../src/scopes/names.ts'
import { projectOf } from '../../src/scopes/project-resolution.ts'
import { type Bench, type BenchOptions, openBench } from '../scopes/bench.ts'
import { describeShared, type Shared } from '../shared.ts'

type Case = { readonly id: string; readonly input?: unknown; readonly expect?: unknown }

let bench: Bench | null = null
const open = async (options?: BenchOptions) => {
  bench = await openBench(options)
  return bench
}
afterEach(async () => {
  await bench?.close()
  bench = null
})

/** Runs a suite's cases by id; an unknown case fails, so that none is left out silently. `without`: what has no counterpart here. */
function eachCase(
  shared: Shared,
  runs: Readonly<Record<string, (one: Case) => unknown>>,
  rule: string,
  without: readonly string[] = [],
): void {
  const cases = (shared.rows as readonly Case[]).filter((one) => !without.includes(one.id))
  test.each(cases.map((one) => [one.id, one] as const))(`${rule} %s`, async (id, one) => {
    const run = runs[id] ?? runs['*']
    if (run === undefined) throw new Error(`no call for the case ${id}`)
    await run(one)
  })
}

const session = async (own: Bench, more: object = {}) => {
  const { value } = await own.scopes.sessions.create({ user: 'alice', ...more }, 'user:alice')
  return { ...value, id: value.id as SessionId, process: value.process as ProcessId }
}
const statusOf = async (own: Bench, id: SessionId) => {
  await own.journal.passed(own.journal.head())
  return (await own.scopes.sessions.get(id))?.status
}
const policies = (given: object): BenchOptions => ({
  engineOf: async () => ({ agent: 'echo', engine: 'echo', params: {}, policies: given }),
})
const count = async (own: Bench, type: string) => {
  const { events } = await own.journal.read({ after: 0, limit: 500 })
  return events.filter((event) => event.type === type).length
}

describeShared('[P2, P3] home bootstrap', 'eddie/home-bootstrap.json', (shared) => {
  eachCase(
    shared,
    {
      'hb-name': (one) => expect(homeOf(String(one.input))).toBe(one.expect),
      // No kit catalogue is seeded: Steward has none.
      'hb-tenant': async () =>
        expect(await (await open()).scopes.projects.get('_tenant')).toMatchObject({
          title: 'Tenant Defaults',
          group: '_home',
          kind: 'SYSTEM',
        }),
      'hb-resolve-random': async (one) => expect(await (await open()).scopes.projects.resolve('random-proj')).toBe(one.expect),
      'hb-resolve-ghost': async (one) => expect(await (await open()).scopes.projects.resolve('_user_ghost')).toBe(one.expect),
      'hb-resolve-ok': async () => expect((await (await open()).scopes.projects.resolve('_user_alice'))?.name).toBe('_user_alice'),
    },
    '[P3]',
  )
})

describeShared('settings', 'eddie/settings-cascade.json', (shared) => {
  const set = (own: Bench, more: object) =>
    own.scopes.settings.set({ key: 'theme', value: 'dark', level: 'tenant', scope: '_tenant', ...more }, 'user:alice')
  const cascade = (asUser: boolean) => async (one: Case) => {
    const own = await open()
    await own.scopes.projects.create({ name: 'garden' }, 'user:alice')
    const input = one.input as { project?: string; tenant?: string; user?: string }
    const places = [
      ['project', 'garden', input.project],
      ['tenant', '_tenant', input.tenant],
      ['home', '_user_alice', input.user],
    ] as const
    for (const [level, scope, value] of places) if (value !== undefined) await set(own, { level, scope, value })
    const scope = { user: 'alice', project: 'garden' }
    const { get, getForUser } = own.scopes.settings
    expect(await (asUser ? getForUser : get)('theme', scope)).toBe(one.expect)
  }
  eachCase(
    shared,
    {
      'set-reject-password': async () => expect(set(await open(), { type: 'PASSWORD' })).rejects.toMatchObject({ code: 'invalid' }),
      'set-string': async (one) => {
        const own = await open()
        await set(own, { type: 'STRING' })
        expect(await own.scopes.settings.get('theme', {})).toBe(one.expect)
      },
      // Secrets are the secret store's: a setting holds at most a reference to one, and gives it back as it stands.
      'set-password-roundtrip': async () => {
        const own = await open()
        await expect(set(own, { key: 'mail.password', value: 's3cr3t' })).rejects.toThrow(/secret store/)
        await set(own, { key: 'mail.password', value: '{{secret:mail}}' })
        expect(await own.scopes.settings.get('mail.password', {})).toBe('{{secret:mail}}')
      },
      'set-decrypt-missing': async (one) => expect(await (await open()).scopes.settings.get('mail.password', {})).toBe(one.expect),
      'set-decrypt-wrongtype': async () =>
        expect(set(await open(), { key: 'mail.password', type: 'STRING' })).rejects.toThrow(/secret store/),
      'del-prefix': async () => {
        const own = await open()
        for (const key of ['oauth.slack.id', 'oauth.slack.team', 'oauthXslack.id']) await set(own, { key })
        const { value } = await own.scopes.settings.removePrefix(
          { prefix: 'oauth.slack.', level: 'tenant', scope: '_tenant' },
          'user:alice',
        )
        expect([value, await count(own, 'settings-removed')]).toEqual([2, 1])
        expect(await own.scopes.settings.list('oauth', {})).toEqual({ 'oauthXslack.id': 'dark' })
      },
      'del-prefix-blank': async (one) => {
        const own = await open()
        await set(own, {})
        const { value } = await own.scopes.settings.removePrefix({ prefix: '', level: 'tenant', scope: '_tenant' }, 'user:alice')
        expect(value).toBe(one.expect)
      },
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`cas-project-${n}`, cascade(false)])),
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`cas-userproject-${n}`, cascade(true)])),
    },
    '[P17, P18]',
  )
})

describeShared('languages', 'eddie/language-resolver.json', (shared) => {
  type Input = { key?: LanguageKey; userProjectCascade?: string | null; projectCascade?: string; configDefault?: string } | null
  eachCase(
    shared,
    {
      'lang-find-null': (one) => {
        for (const key of ['chat.language', 'content.language', 'webui.language'] as const) expect(findLanguage(key, {})).toBe(one.expect)
      },
      '*': (one) => {
        const input = one.input as Input
        const user = input?.userProjectCascade ?? (input?.key === 'content.language' ? 'xx' : null)
        const layers: LanguageLayers = { user, project: input?.projectCascade ?? null }
        expect(languageOf(input?.key ?? 'chat.language', layers, input?.configDefault)).toBe(one.expect)
      },
    },
    '[P19]',
  )
})

describeShared('projects of tool calls', 'eddie/project-resolution.json', (shared) => {
  type Input = { parent?: boolean; inherited?: string | null; param?: string; spot?: string; process?: null; dbSpot?: string }
  const resolve = (one: Case) => {
    const input = one.input as Input
    const process = input.process === null ? null : { isWorker: input.parent ?? false, project: input.inherited ?? null }
    return projectOf({ process, named: input.param ?? null, spot: input.spot ?? null })
  }
  eachCase(
    shared,
    {
      'pr-sub-noinherit': (one) => expect(() => resolve(one)).toThrow(/no inherited project/),
      'pr-spot-db': (one) =>
        expect(projectOf({ process: { isWorker: false, project: 'own' }, spot: (one.input as Input).dbSpot ?? null })).toBe(one.expect),
      'pr-spot-none': () => expect(projectOf({ process: { isWorker: false, project: 'own' }, spot: null })).toBe('own'),
      // Who may read a project is asked where it is looked up: another person's home is not found.
      'pr-read-enforced': async () => {
        const own = await open()
        await own.scopes.projects.ensureHome('bob')
        await expect(session(own, { project: '_user_bob' })).rejects.toMatchObject({ code: 'not_found' })
      },
      '*': (one) =>
        typeof one.expect === 'string'
          ? expect(resolve(one)).toBe(one.expect)
          : expect(() => resolve(one)).toThrow(/has none|no inherited project/),
    },
    '[P21]',
  )
})

describeShared('session lifecycle', 'eddie/session-lifecycle.json', (shared) => {
  const disconnect = async (given: object, before: (own: Bench, id: SessionId) => Promise<unknown> = async () => {}) => {
    const own = await open(policies(given))
    const { id } = await session(own)
    await own.scopes.sessions.connected(id, 'one')
    await before(own, id)
    await own.scopes.sessions.disconnected(id, 'one')
    return statusOf(own, id)
  }
  const broken: BenchOptions = {
    lanes: (real) => ({
      ...real,
      post: async () => {
        throw new Error('the engine throws')
      },
    }),
  }
  const suspended = async (options?: BenchOptions) => {
    const own = await open(options)
    const made = await session(own)
    await own.scopes.sessions.suspend(made.id, 'FORCED')
    return { own, ...made }
  }
  eachCase(
    shared,
    {
      'sl-disc-suspend': async () => expect(await disconnect({ onDisconnect: 'SUSPEND' })).toBe('SUSPENDED'),
      'sl-disc-keep': async () => expect(await disconnect({ onDisconnect: 'KEEP_OPEN' })).toBe('IDLE'),
      'sl-disc-closed': async () => {
        const close = (own: Bench, id: SessionId) => own.scopes.sessions.close(id, 'user:alice')
        expect(await disconnect({ onDisconnect: 'SUSPEND' }, close)).toBe('CLOSED')
      },
      'sl-susp-throw': async () => {
        const { own, id } = await suspended(broken)
        expect(await own.scopes.sessions.get(id)).toMatchObject({ status: 'SUSPENDED', processStatus: 'SUSPENDED' })
      },
      'sl-susp-again': async () => {
        const { own, id } = await suspended()
        await own.scopes.sessions.suspend(id, 'FORCED')
        expect(await count(own, 'session-updated')).toBe(1)
      },
      'sl-resume-archived': async () => {
        const { own, id } = await suspended()
        await own.scopes.sessions.archive(id, 'user:alice')
        await own.scopes.sessions.resume(id, 'user:alice')
        expect(await statusOf(own, id)).toBe('ARCHIVED')
      },
      'sl-resume-flip': async () => {
        const { own, id } = await suspended()
        await own.until('process-suspended')
        await own.scopes.sessions.resume(id, 'user:alice')
        await own.until('process-woken')
        expect(await statusOf(own, id)).toBe('IDLE')
        expect(await count(own, 'turn-started')).toBe(0)
      },
      'sl-close': async () => {
        const own = await open()
        const made = await session(own)
        const info = (await own.scopes.sessions.process(made.process))?.info
        if (!info) throw new Error('no process')
        const [asleep, over] = [own.newId('prc'), own.newId('prc')]
        for (const id of [asleep, over]) await own.lanes.create({ ...info, id, parent: made.process }, 'system')
        await own.lanes.post({ lane: laneOf(asleep), id: own.newId('ent'), from: 'system', body: { kind: 'suspend' } })
        await own.lanes.post({ lane: laneOf(over), id: own.newId('ent'), from: 'system', body: { kind: 'close', reason: 'DONE' } })
        await own.until('process-closed')
        await own.until('process-suspended')
        await own.scopes.sessions.close(made.id, 'user:alice')
        await own.until('session-updated', (data) => data['status'] === 'CLOSED')
        while ((await count(own, 'process-closed')) < 3) await new Promise((resolve) => setImmediate(resolve))
        const { events } = await own.journal.read({ after: 0, limit: 500 })
        const stopped = events
          .filter((event) => event.type === 'process-closed' && event.data['reason'] === 'STOPPED')
          .map((event) => String(event.lane))
        expect(stopped.sort()).toEqual([made.process, asleep].sort())
        expect(await statusOf(own, made.id)).toBe('CLOSED')
      },
      'sl-close-throw': async () => {
        const own = await open(broken)
        const { id } = await session(own)
        await own.scopes.sessions.close(id, 'user:alice')
        expect(await own.scopes.sessions.get(id)).toMatchObject({ status: 'CLOSED', processStatus: 'CLOSED' })
      },
      'sl-close-again': async () => {
        const own = await open()
        const { id } = await session(own)
        await own.scopes.sessions.close(id, 'user:alice')
        expect((await own.scopes.sessions.close(id, 'user:alice')).cursor).toBe(0)
      },
      // Nothing is deleted: a closed session leaves the lists, its conversation stays in the journal.
      'sl-delete': async () => {
        const own = await open()
        const { id } = await session(own)
        await own.say(id, 'keep this')
        await own.until('turn-settled')
        await own.scopes.sessions.close(id, 'user:alice')
        expect((await own.scopes.sessions.list({ user: 'alice', limit: 9 })).items).toEqual([])
        expect((await own.scopes.conversation.branch(id, { limit: 9 })).items[0]?.text).toBe('keep this')
      },
    },
    '[P6, P7, P8]',
  )
})

describeShared('binding a session', 'eddie/session-bind.json', (shared) => {
  eachCase(
    shared,
    {
      // Without a project it is the home project, not an error (DESIGN section 7).
      'sb-create-noproject': async () => expect((await session(await open())).project).toBe('_user_alice'),
      'sb-create-unknown': async () => expect(session(await open(), { project: 'nope' })).rejects.toMatchObject({ code: 'not_found' }),
      // Sessions run on every node: there is no other pod to be sent to.
      'sb-create-otherpod': async () => {
        const own = await open()
        await own.scopes.projects.create({ name: 'garden' }, 'user:alice')
        expect((await session(own, { project: 'garden' })).status).toBe('IDLE')
      },
      'sb-create-hub': async () => {
        const own = await open()
        expect(await own.scopes.projects.get('_user_alice')).toBeNull()
        expect((await session(own, { project: '_user_alice' })).project).toBe('_user_alice')
      },
      'sb-noid': async () =>
        expect((await open()).scopes.sessions.connected('' as SessionId, 'one')).rejects.toMatchObject({ code: 'not_found' }),
      'sb-guest': async () => {
        const own = await open()
        const { id } = await session(own)
        await own.scopes.sessions.suspend(id, 'FORCED')
        expect(await own.scopes.sessions.connected(id, 'guest')).toMatchObject({ mine: true })
        expect(await own.scopes.sessions.get(id)).toMatchObject({ status: 'SUSPENDED', profile: 'web' })
      },
      // A binding dies with its connection, so none is ever stale; after a restart the next one holds it.
      'sb-stale-sibling': async () => {
        const own = await open()
        const { id } = await session(own)
        await own.scopes.sessions.connected(id, 'old')
        const again = await own.reopen()
        bench = again
        expect(await again.scopes.sessions.connected(id, 'new')).toEqual({ holder: 'new', mine: true, movedFrom: null })
      },
      'sb-owner': async () => {
        const own = await open()
        const { id } = await session(own)
        await own.scopes.sessions.suspend(id, 'FORCED')
        await own.until('process-suspended')
        await own.scopes.sessions.connected(id, 'own', { profile: 'mobile' })
        await own.until('process-woken')
        await statusOf(own, id)
        expect(await own.scopes.sessions.get(id)).toMatchObject({ status: 'IDLE', profile: 'mobile' })
      },
    },
    '[P5, P7, P8]',
  )
})

describeShared('the ends of workers', 'eddie/process-events.json', (shared) => {
  const parent = 'prc_parent' as ProcessId
  const end: StatusChange = { parent, before: 'RUNNING', now: 'CLOSED', reason: 'STOPPED' }
  type Input = { closeReason?: string; newStatus?: ProcessStatus }
  eachCase(
    shared,
    {
      'pe-nolink': () => expect(parentEvent({ ...end, parentWatches: true })).toBeNull(),
      'pe-self-stop': () => expect(parentEvent({ ...end, stoppedBy: parent })).toBeNull(),
      'pe-repaint': () => expect(parentEvent({ ...end, before: 'CLOSED' })).toBeNull(),
      'pe-noparent': () => expect(parentEvent({ ...end, parent: null })).toBeNull(),
      'pe-None': (one) => expect(parentEvent({ ...end, reason: null })).toBe(one.expect),
      '*': (one) => {
        const { closeReason, newStatus } = one.input as Input
        const change = closeReason === undefined ? { now: newStatus ?? 'IDLE' } : { reason: closeReason as CloseReason }
        expect(parentEvent({ ...end, ...change })).toBe(one.expect)
      },
    },
    '[P20]',
  )
})

// The mailbox of a lane takes the place of Eddie's outbox and inbox: the three timestamps are posted, received (the same commit)
// and taken. Frames between pods have no counterpart, since nodes share the store.
describeShared('engine messages', 'eddie/engine-messages.json', (shared) => {
  const entry = (own: Bench, to: ProcessId, id: string) =>
    ({ lane: laneOf(to), id, from: 'system', body: { kind: 'note', topic: 'hello', data: {} } }) as unknown as Parameters<
      typeof own.lanes.post
    >[0]
  const delivered = async () => {
    const own = await open()
    const { process } = await session(own)
    const posted = await own.lanes.post(entry(own, process, 'ent_1'))
    return { own, process, posted }
  }
  const again = async () => {
    const { own, process, posted } = await delivered()
    const second = await own.lanes.post(entry(own, process, 'ent_1'))
    expect([posted, second]).toMatchObject([
      { ok: true, duplicate: false },
      { ok: true, duplicate: true },
    ])
    expect(await count(own, 'entry-received')).toBe(1)
  }
  eachCase(
    shared,
    {
      'em-accept-undelivered': async () => {
        const { own } = await delivered()
        expect(await count(own, 'entry-received')).toBe(1)
      },
      'em-accept-dup': again,
      'em-accept-race': async () => {
        const own = await open()
        const { process } = await session(own)
        const both = await Promise.all([1, 2].map(() => own.lanes.post(entry(own, process, 'ent_1'))))
        expect(both.map((one) => one.ok && one.duplicate).sort()).toEqual([false, true])
      },
      'em-drain-guard': async () => {
        const { own, process } = await delivered()
        await own.until('turn-settled')
        await own.lanes.post(entry(own, process, 'ent_1'))
        expect(await count(own, 'turn-started')).toBe(1)
      },
      'em-route-no-home': async () => {
        const { own } = await delivered()
        await own.until('turn-settled')
      },
      'em-insert-blank-id': async () => {
        const { own, process } = await delivered()
        for (const id of ['', '  ']) await expect(own.lanes.post(entry(own, process, id))).rejects.toMatchObject({ code: 'invalid' })
        expect(await count(own, 'entry-received')).toBe(1)
      },
      'em-route-unknown-target': async () => {
        const own = await open()
        expect(await own.lanes.post(entry(own, own.newId('prc'), 'ent_1'))).toEqual({ ok: false, reason: 'no_such_lane' })
      },
    },
    '[L1]',
    ['em-route-remote-ack', 'em-ws-malformed', 'em-ws-noid'],
  )
})

describe('deviations', () => {
  test('[P10] a dropped connection never suspends by default: the sweep does, after 30 minutes', async () => {
    const own = await open()
    const { id } = await session(own)
    await own.scopes.sessions.connected(id, 'one')
    await own.scopes.sessions.disconnected(id, 'one')
    expect(await statusOf(own, id)).toBe('IDLE')
    own.clock.advance(30 * 60_000)
    await own.scopes.sessions.sweepIdle(own.clock.now())
    expect(await statusOf(own, id)).toBe('SUSPENDED')
  })
})
