import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProcessId } from '../../src/base/ids.ts'
import type { Documents } from '../../src/scopes/scopes.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
let documents: Documents
beforeEach(async () => {
  bench = await openBench()
  writeFileSync(join(mkdirs(bench.home, 'bundled', 'agents'), 'scout.md'), 'bundled scout')
  writeFileSync(join(bench.home, 'bundled', 'agents', 'hub.md'), '\uFEFFbundled hub')
  writeFileSync(join(bench.home, 'bundled', 'agents', 'broken.md'), Buffer.from([0xff, 0xfe, 0x00]))
  bench = await bench.reopen()
  documents = bench.scopes.documents
  await bench.scopes.projects.create({ name: 'garden', group: 'outdoors' }, 'user:ada')
  await bench.scopes.projects.create({ name: 'kitchen' }, 'user:ada')
  await bench.scopes.projects.ensureHome('ada')
})
afterEach(() => bench.close())

const mkdirs = (...parts: string[]) => {
  const folder = join(...parts)
  mkdirSync(folder, { recursive: true })
  return folder
}
const write = (level: string, scope: string, text: string, more = {}) =>
  documents.write({ path: 'agents/scout.md', level: level as 'tenant', scope, text, ...more }, 'user:ada')

describe('several documents', () => {
  const place = { level: 'project', scope: 'garden' } as const
  const all = (...documents: { path: string; text: string; expected?: number }[]) =>
    documents.length === 0 ? Promise.reject(new Error('none')) : bench.scopes.documents.writeAll({ ...place, documents }, 'user:ada')

  test('[P15] are written in one commit, all or none, and the same again makes no version', async () => {
    const long = { path: 'agents/long.md', text: 'x'.repeat(100_000) }
    const { value, cursor } = await all({ path: 'agents/a.md', text: 'a', expected: 0 }, long, {
      path: 'routing.yaml',
      text: 'routing: hint',
    })
    expect(value.map(({ path, version, mime }) => [path, version, mime])).toEqual([
      ['agents/a.md', 1, 'text/markdown'],
      ['agents/long.md', 1, 'text/markdown'],
      ['routing.yaml', 1, 'application/yaml'],
    ])
    expect(cursor).toBeGreaterThan(0)
    expect((await all({ path: 'agents/a.md', text: 'a' }, long)).cursor).toBe(0)
    await expect(all({ path: 'agents/b.md', text: 'b' }, { path: 'agents/a.md', text: 'c', expected: 0 })).rejects.toThrow(
      'version 0 was expected, version 1 is there now',
    )
    expect(await documents.find('agents/b.md', { project: 'garden' })).toBeNull()
    expect((await documents.find('agents/a.md', { project: 'garden' }))?.text).toBe('a')
  })

  test('[P15] a path twice, a path that leaves, and a text that is none are refused as a whole', async () => {
    const good = { path: 'agents/good.md', text: 'x' }
    await expect(all(good, { path: 'agents/good.md', text: 'y' })).rejects.toThrow('"agents/good.md" is there twice')
    await expect(all(good, { path: '../x.md', text: 'y' })).rejects.toThrow('is not possible')
    await expect(all(good, { path: 'agents/y.md', text: 'a\0b' })).rejects.toThrow('without NUL')
    expect(await documents.find('agents/good.md', { project: 'garden' })).toBeNull()
  })

  test('[P15] others are removed or purged in the same commit; a conflict keeps them, and what is not there is passed over', async () => {
    await all({ path: 't/a.md', text: '1' }, { path: 't/b.md', text: '1' }, { path: 't/c.md', text: '1' })
    const together = (expected: number) =>
      documents.writeAll(
        {
          ...place,
          documents: [{ path: 't/c.md', text: '2', expected }],
          removed: ['t/a.md', 't/none.md'],
          purged: ['t/b.md', 't/none2.md'],
        },
        'user:ada',
      )
    await expect(together(7)).rejects.toThrow('version 7 was expected')
    expect((await documents.list('t/', { project: 'garden' })).map(({ path }) => path)).toEqual(['t/a.md', 't/b.md', 't/c.md'])
    await together(1)
    expect((await documents.list('t/', { project: 'garden' })).map(({ path, version }) => [path, version])).toEqual([['t/c.md', 2]])
    expect(await documents.versions('t/a.md', 'project', 'garden')).toHaveLength(1)
    expect(await documents.versions('t/b.md', 'project', 'garden')).toEqual([])
    const twice = { ...place, documents: [{ path: 't/c.md', text: '3' }], removed: ['t/c.md'] }
    await expect(documents.writeAll(twice, 'user:ada')).rejects.toThrow('"t/c.md" is there twice')
  })

  test('[P15] whoever listens hears of them once each', async () => {
    const heard: string[] = []
    documents.onChange('agents/', () => heard.push('agents'))
    documents.onChange('routing.yaml', () => heard.push('routing'))
    await all({ path: 'agents/a.md', text: 'a' }, { path: 'agents/b.md', text: 'b' }, { path: 'routing.yaml', text: '' })
    expect(heard).toEqual(['agents', 'agents', 'routing'])
  })
})

describe('the cascade', () => {
  test('[P14] the innermost wins, level by level, and hiding shows the outer one again', async () => {
    const { value: session } = await bench.scopes.sessions.create({ user: 'ada', project: 'garden' }, 'user:ada')
    const scope = { process: session.process as ProcessId, user: 'ada', project: 'garden' }
    const found = async () => {
      const document = await documents.find('agents/scout.md', scope)
      return [document?.level, document?.scope, document?.text]
    }
    expect(await found()).toEqual(['bundled', 'bundled', 'bundled scout'])
    const places = [
      ['tenant', '_tenant'],
      ['group', 'outdoors'],
      ['project', 'garden'],
      ['home', '_user_ada'],
      ['process', session.process],
    ] as const
    for (const [level, name] of places) {
      await write(level, name, `of ${name}`)
      expect(await found()).toEqual([level, name, `of ${name}`])
    }
    for (const [level, name] of places.toReversed()) {
      expect(await found()).toEqual([level, name, `of ${name}`])
      await documents.remove('agents/scout.md', level, name, 'user:ada')
    }
    expect(await found()).toEqual(['bundled', 'bundled', 'bundled scout'])
  })

  test('[P14] lists merge the levels, and a sibling project is never seen', async () => {
    await write('project', 'kitchen', 'secret sauce')
    await documents.write({ path: 'agents/cook.md', level: 'project', scope: 'kitchen', text: 'cook' }, 'user:ada')
    await write('tenant', '_tenant', 'for all')
    await documents.write({ path: 'agents_of_old.md', level: 'tenant', scope: '_tenant', text: 'x' }, 'user:ada')
    const list = async (scope: object) => (await documents.list('agents/', scope)).map((one) => [one.path, one.text])
    expect(await list({ user: 'ada', project: 'garden' })).toEqual([
      ['agents/hub.md', 'bundled hub'],
      ['agents/scout.md', 'for all'],
    ])
    expect(await list({ project: 'kitchen' })).toEqual([
      ['agents/cook.md', 'cook'],
      ['agents/hub.md', 'bundled hub'],
      ['agents/scout.md', 'secret sauce'],
    ])
    expect(await list({})).toHaveLength(2)
    expect(await documents.list('agents%', {})).toEqual([])
  })

  test('[P14] a home’s own documents are found as its project and as its user', async () => {
    await write('home', '_user_ada', 'mine')
    expect(await documents.find('agents/scout.md', { project: '_user_ada' })).toMatchObject({ level: 'home', text: 'mine' })
    expect(await documents.find('agents/scout.md', { user: 'ada', project: '_user_ada' })).toMatchObject({ text: 'mine' })
    expect(await documents.find('agents/scout.md', { user: 'bob', project: 'garden' })).toMatchObject({ level: 'bundled' })
  })

  test('[P14] bundled ones are read-only, and a broken one is logged and left out', async () => {
    await expect(write('bundled', 'bundled', 'x')).rejects.toThrow(/allowed are process, home|read-only/)
    await expect(documents.remove('agents/scout.md', 'bundled', 'bundled', 'user:ada')).rejects.toThrow(/read-only/)
    expect(await documents.find('agents/broken.md', {})).toBeNull()
    expect(bench.logged.map((one) => [one.what, one.fields?.['path']])).toContainEqual([
      'a bundled document could not be read',
      'agents/broken.md',
    ])
    expect(await documents.versions('agents/hub.md', 'bundled', 'bundled')).toHaveLength(1)
  })
})

describe('versions', () => {
  test('[P15] every write is one, the same text is none, and all can be read', async () => {
    const first = await write('project', 'garden', 'one')
    expect(first.value).toMatchObject({ version: 1, mime: 'text/markdown', by: 'user:ada', at: '2026-01-01T00:00:00.000Z' })
    expect((await write('project', 'garden', 'one')).cursor).toBe(0)
    expect((await write('project', 'garden', 'two')).value.version).toBe(2)
    await documents.remove('agents/scout.md', 'project', 'garden', 'user:ada')
    await expect(documents.remove('agents/scout.md', 'project', 'garden', 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
    expect((await write('project', 'garden', 'three', { expected: 0 })).value.version).toBe(3)
    const versions = await documents.versions('agents/scout.md', 'project', 'garden')
    expect(versions.map((one) => [one.version, one.text])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ])
  })

  test('[P15] who read another version gets a conflict, and of two at once one wins', async () => {
    await write('project', 'garden', 'one', { expected: 0 })
    await expect(write('project', 'garden', 'x', { expected: 0 })).rejects.toMatchObject({ code: 'version', path: '/expected' })
    await expect(write('project', 'garden', 'x', { expected: 7 })).rejects.toThrow(/version 7 was expected, version 1 is there now/)
    await expect(write('project', 'garden', 'x', { expected: -1 })).rejects.toMatchObject({ code: 'invalid' })
    const both = await Promise.allSettled(['a', 'b'].map((text) => write('project', 'garden', text, { expected: 1 })))
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('[P15] a purge leaves nothing, and the next write starts anew', async () => {
    await write('project', 'garden', 'one')
    await documents.purge('agents/scout.md', 'project', 'garden', 'user:ada')
    expect(await documents.versions('agents/scout.md', 'project', 'garden')).toEqual([])
    await expect(documents.purge('agents/scout.md', 'project', 'garden', 'user:ada')).rejects.toMatchObject({ code: 'not_found' })
    expect((await write('project', 'garden', 'new')).value.version).toBe(1)
  })

  test('[P15] a long text lies apart and comes back whole, also after a restart', async () => {
    const long = 'grow '.repeat(100_000)
    await write('project', 'garden', long)
    const { events } = await bench.journal.read({ after: 0, limit: 500 })
    const written = events.find((event) => event.type === 'document-written')
    expect(JSON.stringify(written?.data).length).toBeLessThan(500)
    bench = await bench.reopen()
    await bench.journal.rebuild('documents')
    expect((await bench.scopes.documents.find('agents/scout.md', { project: 'garden' }))?.text).toBe(long)
  })

  test('[P15] what can’t be a document is refused before anything is written', async () => {
    await expect(write('project', 'garden', 'x'.repeat(1_048_577))).rejects.toThrow(/at most 1 MB/)
    await expect(write('project', 'garden', 'ä'.repeat(600_000))).rejects.toThrow(/1200000/)
    await expect(write('project', 'garden', 'a\0b')).rejects.toMatchObject({ path: '/text' })
    await expect(write('project', 'garden', '\ud800')).rejects.toMatchObject({ path: '/text' })
    await expect(write('project', 'garden', 'x', { mime: 'html; charset' })).rejects.toMatchObject({ path: '/mime' })
    await expect(write('project', 'garden', 'x', { path: '../../etc/passwd' })).rejects.toMatchObject({ path: '/path' })
    await expect(write('project', 'nope', 'x')).rejects.toMatchObject({ code: 'not_found', path: '/scope' })
    await expect(write('project', '_user_ada', 'x')).rejects.toMatchObject({ code: 'invalid', path: '/scope' })
    await expect(write('home', '_user_ghost', 'x')).rejects.toMatchObject({ code: 'not_found' })
    await expect(write('process', bench.newId('prc'), 'x')).rejects.toMatchObject({ code: 'not_found' })
    await expect(write('group', 'nope', 'x')).rejects.toMatchObject({ code: 'not_found' })
    const { events } = await bench.journal.read({ after: 0, limit: 500 })
    expect(events.filter((event) => event.type === 'document-written')).toEqual([])
  })

  test('[P15] who listens hears of changes below the prefix, and a listener that fails hinders nobody', async () => {
    let heard = 0
    documents.onChange('agents/', () => {
      throw new Error('no')
    })
    const stop = documents.onChange('agents/', () => heard++)
    await write('project', 'garden', 'one')
    await documents.write({ path: 'skills/x.md', level: 'project', scope: 'garden', text: 'x' }, 'user:ada')
    expect(heard).toBe(1)
    stop()
    await write('project', 'garden', 'two')
    expect(heard).toBe(1)
  })
})
