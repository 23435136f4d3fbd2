import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, openBench } from './bench.ts'

let bench: Bench
const options: BenchOptions = { files: true }
beforeEach(async () => {
  bench = await openBench(options)
  await bench.scopes.projects.create({ name: 'garden' }, 'user:ada')
  await bench.scopes.projects.ensureHome('ada')
})
afterEach(() => bench.close())

const fileOf = (...parts: string[]) => join(bench.home, 'documents', ...parts)
const edit = (text: string | Buffer, ...parts: string[]) => {
  mkdirSync(dirname(fileOf(...parts)), { recursive: true })
  writeFileSync(fileOf(...parts), text)
}
const write = (text: string, path = 'agents/scout.md') =>
  bench.scopes.documents.write({ path, level: 'project', scope: 'garden', text }, 'user:ada')
const text = async (path = 'agents/scout.md', scope: object = { project: 'garden' }) =>
  (await bench.scopes.documents.find(path, scope))?.text
const shown = () =>
  existsSync(fileOf('garden', 'agents', 'scout.md')) ? readFileSync(fileOf('garden', 'agents', 'scout.md'), 'utf8') : null

/** Lets the operating system tell of changes, and the clock run, until it holds. */
async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 8000
  for (;;) {
    bench.clock.advance(200)
    if (await is()) return
    if (performance.now() > end) throw new Error('it did not come to that')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const isLogged = (part: string) => bench.logged.some((one) => JSON.stringify(one).includes(part))

describe('documents as files', () => {
  test('[P16] what the hub writes is a file, private and whole', async () => {
    await write('one')
    expect(shown()).toBe('one')
    expect(statSync(fileOf('garden', 'agents', 'scout.md')).mode & 0o777).toBe(0o600)
    expect(statSync(fileOf('garden', 'agents')).mode & 0o777).toBe(0o700)
    expect(readdirSync(fileOf('garden', 'agents'))).toEqual(['scout.md'])
    await bench.scopes.documents.remove('agents/scout.md', 'project', 'garden', 'user:ada')
    expect(existsSync(fileOf('garden'))).toBe(false)
  })

  test('[P16] what an editor writes is a version, and who listens hears of it', async () => {
    let heard = 0
    bench.scopes.documents.onChange('agents/', () => heard++)
    edit('by hand', 'garden', 'agents', 'scout.md')
    await until(async () => (await text()) === 'by hand')
    expect(await bench.scopes.documents.find('agents/scout.md', { project: 'garden' })).toMatchObject({ version: 1, by: 'outside:files' })
    edit('again', 'garden', 'agents', 'scout.md')
    await until(async () => (await text()) === 'again')
    expect(heard).toBe(2)
    edit('mine', '_user_ada', 'agents', 'scout.md')
    await until(async () => (await text('agents/scout.md', { user: 'ada' })) === 'mine')
    expect(await bench.scopes.documents.find('agents/scout.md', { user: 'ada' })).toMatchObject({ level: 'home', by: 'user:ada' })
  })

  test('[P16] the only file of a place that is removed hides its document too, and comes back when it is written again', async () => {
    await write('one')
    rmSync(fileOf('garden', 'agents', 'scout.md'))
    await until(async () => (await text()) === undefined)
    edit('one', 'garden', 'agents', 'scout.md')
    await until(async () => (await text()) === 'one')
  })

  test('[P16] a file that is removed hides its document; a place that is gone hides nothing', async () => {
    await write('one')
    await write('other', 'notes.md')
    rmSync(fileOf('garden', 'agents'), { recursive: true })
    await until(async () => (await text()) === undefined)
    expect(await bench.scopes.documents.versions('agents/scout.md', 'project', 'garden')).toHaveLength(1)
    rmSync(fileOf('garden'), { recursive: true })
    await until(() => bench.clock.pending === 0)
    bench = await bench.reopen()
    expect(await text('notes.md')).toBe('other')
    expect(readFileSync(fileOf('garden', 'notes.md'), 'utf8')).toBe('other')
  })

  test('[P15, P16] an edit that was not yet noticed is a version of its own, and a conflict for who did not see it', async () => {
    await write('one')
    edit('by hand', 'garden', 'agents', 'scout.md')
    const given = { path: 'agents/scout.md', level: 'project', scope: 'garden', text: 'by the hub', expected: 1 } as const
    await expect(bench.scopes.documents.write(given, 'user:ada')).rejects.toMatchObject({ code: 'version' })
    await write('by the hub')
    const versions = await bench.scopes.documents.versions('agents/scout.md', 'project', 'garden')
    expect(versions.map((one) => one.text)).toEqual(['one', 'by hand', 'by the hub'])
    expect(shown()).toBe('by the hub')
  })

  test('[P16] after a stop: edits are taken in, missing and old files are written', async () => {
    await write('one')
    await write('two')
    await write('kept', 'kept.md')
    const home = bench.home
    await bench.scopes.close()
    edit('edited', 'garden', 'kept.md')
    edit('one', 'garden', 'agents', 'scout.md')
    utimesSync(fileOf('garden', 'agents', 'scout.md'), new Date(0), new Date(0))
    edit('new', '_tenant', 'rules.md')
    bench = await bench.reopen()
    expect(bench.home).toBe(home)
    expect(await text('kept.md')).toBe('edited')
    expect(await text()).toBe('two')
    expect(shown()).toBe('two')
    expect(await text('rules.md')).toBe('new')
    rmSync(fileOf('garden', 'kept.md'))
    await bench.scopes.close()
    bench = await bench.reopen()
    expect(await text('kept.md', { project: 'garden' })).toBe('edited')
  })

  test('[P16] no link leads out, neither for reading nor for writing', async () => {
    const outside = join(bench.home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.md'), 'secret')
    mkdirSync(fileOf('garden'))
    symlinkSync(join(outside, 'secret.md'), fileOf('garden', 'secret.md'))
    symlinkSync(outside, fileOf('garden', 'agents'))
    await until(() => isLogged('garden/secret.md'))
    expect(await text('secret.md')).toBeUndefined()
    expect(await text('agents/secret.md')).toBeUndefined()
    await write('x', 'agents/deep/new.md')
    await write('x', 'agents/secret.md')
    await write('x', 'secret.md')
    expect(readdirSync(outside)).toEqual(['secret.md'])
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret')
    expect(await text('agents/deep/new.md')).toBe('x')
    bench = await bench.reopen()
    expect(await text('agents/secret.md')).toBe('x')
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret')
  })

  test('[P16] a file that can’t be read is logged and hinders no other', async () => {
    edit(Buffer.from([0xff, 0xfe, 0x01]), 'garden', 'broken.md')
    edit(Buffer.alloc(1_048_577, 'x'), 'garden', 'huge.md')
    edit('stray', 'nowhere', 'stray.md')
    edit('editor', 'garden', '.scout.md.swp')
    edit('editor', 'garden', 'scout.md~')
    symlinkSync(bench.home, fileOf('garden', 'folder'))
    edit('fine', 'garden', 'z.md')
    await until(async () => (await text('z.md')) === 'fine' && isLogged('huge.md') && isLogged('broken.md') && isLogged('nowhere/stray.md'))
    expect((await bench.scopes.documents.list('', { project: 'garden' })).map((one) => one.path)).toEqual(['z.md'])
  })

  test('[P22] purging a project removes its files', async () => {
    await write('one')
    await bench.scopes.projects.remove('garden', 'user:ada', { purge: true })
    expect(existsSync(fileOf('garden'))).toBe(false)
  })
})
