import { afterEach, describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, openBench } from './bench.ts'

let bench: Bench
const open = async (options?: BenchOptions) => {
  bench = await openBench(options)
  return bench
}
afterEach(() => bench.close())

describe('homes', () => {
  test('[P2] fifty first logins at the same moment make one home', async () => {
    const { scopes, journal } = await open()
    const homes = await Promise.all(Array.from({ length: 50 }, () => scopes.projects.ensureHome('ada')))
    expect(new Set(homes.map((home) => home.name))).toEqual(new Set(['_user_ada']))
    const { events } = await journal.read({ after: 0, limit: 500 })
    const made = events.filter((event) => event.type === 'project-created' || event.type === 'group-created')
    expect(made.map((event) => [event.type, event.data['name'] ?? (event.data['project'] as { name: string }).name])).toEqual([
      ['group-created', '_home'],
      ['project-created', '_tenant'],
      ['project-created', '_user_ada'],
    ])
  })

  test('[P2] fifty logins over two hubs on one journal make one home each', async () => {
    const first = await open()
    const { openScopes } = await import('../../src/scopes/open-scopes.ts')
    const { journal, views, clock, newId, lanes, store } = first
    const rooms = { journal, views, clock, newId, lanes, store: store.journal, bundledRoot: '/nowhere', documentsRoot: null }
    const second = await openScopes({ ...rooms, users: async () => true, engineOf: async () => null })
    await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? first.scopes : second).projects.ensureHome(n % 3 ? 'ada' : 'bob')))
    const { items } = await first.scopes.projects.list({ limit: 50, system: true })
    expect(items.map((one) => one.name)).toEqual(['_tenant', '_user_ada', '_user_bob'])
    const { events } = await journal.read({ after: 0, limit: 500 })
    expect(events.filter((event) => event.type === 'project-created')).toHaveLength(3)
  })

  test('[P3] a missing home is made only for a user that exists', async () => {
    const { scopes } = await open({ users: ['ada'] })
    expect(await scopes.projects.resolve('_user_ghost')).toBeNull()
    expect(await scopes.projects.resolve('_user_')).toBeNull()
    expect(await scopes.projects.resolve('_user_../../etc')).toBeNull()
    expect(await scopes.projects.resolve('nope')).toBeNull()
    expect(await scopes.projects.resolve('_user_ada')).toMatchObject({
      name: '_user_ada',
      kind: 'SYSTEM',
      group: '_home',
      status: 'RUNNING',
    })
  })
})

describe('projects', () => {
  test('[P1] a project has its defaults, and a name is taken once', async () => {
    const { scopes } = await open()
    const { value, cursor } = await scopes.projects.create({ name: 'garden' }, 'user:ada')
    expect(cursor).toBeGreaterThan(0)
    expect(value).toEqual({
      ...{ name: 'garden', title: 'garden', kind: 'NORMAL', type: 'project', status: 'RUNNING', group: 'default' },
      ...{ roots: [], policy: {}, lastActivityAt: null },
    })
    expect(await scopes.projects.get('garden')).toEqual(value)
    await expect(scopes.projects.create({ name: 'garden' }, 'user:ada')).rejects.toMatchObject({ code: 'exists', path: '/name' })
    await expect(scopes.projects.create({ name: '_mine' }, 'user:ada')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('[P1] of two that take a name at once one gets it', async () => {
    const { scopes } = await open()
    const both = await Promise.allSettled([1, 2].map(() => scopes.projects.create({ name: 'garden' }, 'user:ada')))
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('[P1] changes are checked before anything is changed', async () => {
    const { scopes } = await open()
    await scopes.projects.create({ name: 'garden', roots: ['/srv/garden'] }, 'user:ada')
    const { projects } = scopes
    await expect(projects.change('garden', { title: 'ok', roots: ['here'] }, 'user:ada')).rejects.toMatchObject({ path: '/roots/0' })
    await expect(projects.change('garden', { type: 'thing' as never }, 'user:ada')).rejects.toThrow(/project, area/)
    await expect(projects.change('garden', { policy: [] as never }, 'user:ada')).rejects.toMatchObject({ path: '/policy' })
    await expect(projects.change('garden', { group: '_home' }, 'user:ada')).rejects.toMatchObject({ path: '/group' })
    await expect(projects.change('nope', { title: 'x' }, 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
    expect((await projects.get('garden'))?.title).toBe('garden')
    const { value } = await projects.change(
      'garden',
      { title: 'The garden', type: 'area', group: 'outdoors', policy: { planMode: 'required' } },
      'user:ada',
    )
    expect(value).toMatchObject({
      title: 'The garden',
      type: 'area',
      group: 'outdoors',
      policy: { planMode: 'required' },
      roots: ['/srv/garden'],
    })
    expect(await projects.get('garden')).toEqual(value)
  })

  test('[P4] a SYSTEM project stays', async () => {
    const { scopes } = await open()
    await scopes.projects.ensureHome('ada')
    for (const name of ['_tenant', '_user_ada']) {
      await expect(scopes.projects.remove(name, 'user:ada')).rejects.toMatchObject({ code: 'conflict' })
      await expect(scopes.projects.remove(name, 'user:ada', { purge: true })).rejects.toThrow(/SYSTEM/)
      await expect(scopes.projects.change(name, { group: 'other' }, 'user:ada')).rejects.toMatchObject({ path: '/group' })
    }
    expect((await scopes.projects.change('_user_ada', { title: 'My desk' }, 'user:ada')).value.title).toBe('My desk')
  })

  test('[P4] lists leave out SYSTEM and archived projects, and page', async () => {
    const { scopes } = await open()
    for (const name of ['c', 'a', 'e', 'b', 'd']) await scopes.projects.create({ name }, 'user:ada')
    await scopes.projects.remove('c', 'user:ada')
    const names = async (given: object) => (await scopes.projects.list({ limit: 50, ...given })).items.map((one) => one.name)
    expect(await names({})).toEqual(['a', 'b', 'd', 'e'])
    expect(await names({ closed: true })).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await names({ system: true })).toContain('_tenant')
    const first = await scopes.projects.list({ limit: 3 })
    expect([first.items.length, first.next]).toEqual([3, 'd'])
    expect(await names({ after: first.next })).toEqual(['e'])
  })

  test('[P22] archiving archives the sessions, purging frees the name', async () => {
    const { scopes } = await open()
    await scopes.projects.create({ name: 'garden' }, 'user:ada')
    const { value: session } = await scopes.sessions.create({ user: 'ada', project: 'garden' }, 'user:ada')
    await scopes.documents.write({ path: 'notes.md', level: 'project', scope: 'garden', text: 'roses' }, 'user:ada')
    await scopes.projects.remove('garden', 'user:ada')
    expect(await scopes.sessions.get(session.id as never)).toMatchObject({ status: 'ARCHIVED' })
    expect(await scopes.documents.find('notes.md', { project: 'garden' })).toMatchObject({ text: 'roses' })
    await expect(scopes.projects.change('garden', { title: 'x' }, 'user:ada')).rejects.toThrow(/archived/)
    await expect(scopes.projects.create({ name: 'garden' }, 'user:ada')).rejects.toThrow(/purge it/)
    await expect(scopes.sessions.create({ user: 'ada', project: 'garden' }, 'user:ada')).rejects.toMatchObject({ code: 'conflict' })
    expect((await scopes.projects.remove('garden', 'user:ada', { purge: true })).value.status).toBe('CLOSED')
    expect(await scopes.projects.get('garden')).toBeNull()
    expect(await scopes.documents.find('notes.md', { project: 'garden' })).toBeNull()
    expect(await scopes.documents.versions('notes.md', 'project', 'garden')).toEqual([])
    await scopes.projects.create({ name: 'garden' }, 'user:ada')
  })

  test('[P1] everything is there again after a restart and after a rebuild of the tables', async () => {
    const before = await open()
    await before.scopes.projects.create({ name: 'garden', title: 'The garden' }, 'user:ada')
    await before.scopes.settings.set({ key: 'routing', value: 'direct', level: 'project', scope: 'garden' }, 'user:ada')
    bench = await before.reopen()
    expect(await bench.scopes.projects.get('garden')).toMatchObject({ title: 'The garden' })
    for (const name of ['scopes', 'conversation', 'documents']) await bench.journal.rebuild(name)
    expect(await bench.scopes.projects.get('garden')).toMatchObject({ title: 'The garden' })
    expect(await bench.scopes.settings.get('routing', { project: 'garden' })).toBe('direct')
    await expect(bench.scopes.projects.create({ name: 'garden' }, 'user:ada')).rejects.toMatchObject({ code: 'exists' })
  })
})
