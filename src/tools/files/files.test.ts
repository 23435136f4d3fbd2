import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { contextFor } from '../testing.ts'
import type { Outcome } from '../tool.ts'
import { fileTools } from './files.ts'
import { globOf, matchName } from './glob.ts'
import { findPlace, isInside, openPlace, unveiled } from './place.ts'

let base: string
let root: string
const secret = 'THE SECRET OUTSIDE'

function put(path: string, text: string | Uint8Array, from = root) {
  const file = join(from, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-files-')))
  root = join(base, 'project')
  mkdirSync(root)
  put('outside/secret.txt', secret, base)
  put('project-sibling/secret.txt', secret, base)
  put('README.md', '# Site\n\nThe port is 4180.\n')
  put('src/db.ts', 'export const port = 5432\n')
  return () => rmSync(base, { recursive: true, force: true })
})

async function run(name: string, given: JsonObject, roots: readonly string[] = [root]): Promise<Outcome> {
  const tool = fileTools.find((one) => one.name === name)
  if (!tool) throw new Error(name)
  return tool.run(given, contextFor({ roots }))
}
const text = async (name: string, given: JsonObject, roots?: readonly string[]) => (await run(name, given, roots)).text

describe('file_list', () => {
  test('shows files with size, folders, links, and says what it left out', async () => {
    put('.git/config', 'x')
    put('node_modules/a/index.js', 'x')
    symlinkSync('src', join(root, 'code'))
    expect(await text('file_list', {})).toBe(
      '.:\nREADME.md  26\ncode (link)\nsrc/\n[2 hidden or generated left out (name one as the path to look into it)]',
    )
    expect(await text('file_list', { path: 'src', depth: 2 })).toBe('src:\ndb.ts  25')
    expect(await text('file_list', { path: '.git' })).toBe('.git:\nconfig  1')
  })

  test('goes as deep as asked, and not in circles', async () => {
    symlinkSync('..', join(root, 'src/up'))
    put('a/b/c/d.txt', 'x')
    expect(await text('file_list', { depth: 3 })).toBe('.:\nREADME.md  26\na/\na/b/\na/b/c/\nsrc/\nsrc/db.ts  25\nsrc/up (link)')
  })

  test('a name with a line break can not imitate another line', async () => {
    put('a\nREADME.md  9', 'x')
    expect(await text('file_list', {})).toContain('"a\\nREADME.md  9"  1')
  })

  test('a folder with thousands of files is cut and says so', async () => {
    for (let at = 0; at < 600; at++) put(`many/${String(at).padStart(3, '0')}`, '')
    const listed = await text('file_list', { path: 'many' })
    expect(listed.split('\n')).toHaveLength(502)
    expect(listed).toContain('[cut at 500 lines')
  })

  test('several folders are named, and what is shown can be read', async () => {
    const roots = [root, join(base, 'project-sibling')]
    expect(await text('file_list', {}, roots)).toBe(`The project has 2 folders:\n${roots.map((one) => `${one}/`).join('\n')}`)
    expect(await text('file_read', { path: 'secret.txt' }, roots)).toContain(`${roots[1]}/secret.txt, lines 1 to 1 of 1`)
  })
})

describe('file_read', () => {
  test('gives lines with their numbers', async () => {
    expect(await text('file_read', { path: 'README.md' })).toBe('README.md, lines 1 to 3 of 3\n1\t# Site\n2\t\n3\tThe port is 4180.')
  })

  test('gives a part, and says how to go on', async () => {
    put('long.txt', Array.from({ length: 1000 }, (_, at) => `line ${at + 1}`).join('\r\n'))
    expect(await text('file_read', { path: 'long.txt', from: 400, lines: 2 })).toBe(
      'long.txt, lines 400 to 401\n400\tline 400\n401\tline 401\n[more follows: from=402]',
    )
    expect(await text('file_read', { path: 'long.txt', from: 1000 })).toBe('long.txt, lines 1000 to 1000 of 1000\n1000\tline 1000')
    expect(await run('file_read', { path: 'long.txt', from: 1001 })).toMatchObject({
      ok: false,
      text: 'long.txt has only 1000 lines; there is no line 1001.',
    })
  })

  test('an absolute path inside the folder is as good as a relative one', async () => {
    expect(await text('file_read', { path: join(root, 'src/db.ts') })).toContain('src/db.ts, lines 1 to 1')
  })

  test('an empty file, a folder and a missing file are told apart', async () => {
    put('empty', '')
    expect(await text('file_read', { path: 'empty' })).toBe('empty is empty.')
    expect(await run('file_read', { path: 'src' })).toMatchObject({ ok: false, text: '"src" is a folder; file_list shows what is in it.' })
    expect(await run('file_read', { path: 'nope.txt' })).toMatchObject({ ok: false, code: 'not_found' })
    expect(await run('file_read', { path: 'README.md/x' })).toMatchObject({ ok: false, code: 'not_found' })
  })

  test('[T6] binary files are named, not shown', async () => {
    put('logo.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))
    put('data', Uint8Array.from([65, 0, 66]))
    expect(await text('file_read', { path: 'logo.png' })).toBe('logo.png is a binary file (PNG image) of 7 bytes; it is not shown as text.')
    expect(await text('file_read', { path: 'data' })).toContain('binary file (unknown kind)')
  })

  test('[T6] bytes that are no UTF-8 are shown as such, over chunk borders too', async () => {
    put('latin1.txt', Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
    expect(await text('file_read', { path: 'latin1.txt' })).toBe(
      'latin1.txt, lines 1 to 1 of 1\n1\tcaf\ufffd\n[bytes that are no UTF-8 are shown as \ufffd]',
    )
    put('chunks.txt', `${'x\n'.repeat(32_767)}\u{1f600}\u{1f600}\n`)
    expect(await text('file_read', { path: 'chunks.txt', from: 32_768 })).toContain('32768\t\u{1f600}\u{1f600}')
  })

  test('[T6] a line without end is cut, a file of gigabytes costs only what is shown', async () => {
    put('line.txt', 'x'.repeat(3_000_000))
    const read = await text('file_read', { path: 'line.txt' })
    expect(read.length).toBeLessThan(2200)
    expect(read).toContain('[lines are cut at 2000 characters]')
    put('huge.txt', `first\nsecond\n${'text\n'.repeat(2000)}`)
    truncateSync(join(root, 'huge.txt'), 8 * 1024 ** 3)
    expect(await text('file_read', { path: 'huge.txt', lines: 2 })).toContain('2\tsecond')
  })

  test('[T6] pipes, devices and sockets are refused and never waited for', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync('/dev/zero', join(root, 'zero'))
    const server = createServer().listen(join(root, 'sock'))
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await run('file_read', { path: 'pipe' })).toMatchObject({ ok: false, code: 'special' })
    expect(await run('file_read', { path: 'sock' })).toMatchObject({ ok: false, code: 'special' })
    expect(await run('file_read', { path: 'zero' })).toMatchObject({ ok: false, code: 'outside' })
    expect(await text('file_search', { text: 'x' })).not.toContain('pipe')
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('file_search', () => {
  test('finds a text with path and line, whatever its case', async () => {
    expect(await text('file_search', { text: 'PORT' })).toBe(
      '"PORT" in 2 of 2 files:\nREADME.md:3: The port is 4180.\nsrc/db.ts:1: export const port = 5432',
    )
    expect(await text('file_search', { text: 'PORT', matchCase: true })).toBe('Nothing found for "PORT" (2 files looked at).')
  })

  test('finds a pattern, in some files only', async () => {
    expect(await text('file_search', { pattern: 'port\\s*=\\s*\\d+', glob: '*.ts' })).toBe(
      '"port\\\\s*=\\\\s*\\\\d+" in 1 of 1 files:\nsrc/db.ts:1: export const port = 5432',
    )
  })

  test.each(['file_read', 'file_search'])('[T8] %s reads what policy judged, not where a link leads a moment later', async (name) => {
    const tool = fileTools.find((one) => one.name === name)
    put('.env', 'PORT=hunter2\n')
    symlinkSync('src/db.ts', join(root, 'way'))
    const input = name === 'file_read' ? { path: 'way' } : { path: 'way', text: 'port' }
    const { binding = '' } = (await tool?.plan(input, contextFor({ roots: [root] }))) ?? {}
    const again = () => tool?.run(input, contextFor({ roots: [root], binding }))
    expect(await again()).toMatchObject({ ok: true, text: expect.stringContaining('5432') })
    rmSync(join(root, 'way'))
    symlinkSync('.env', join(root, 'way'))
    expect(await again()).toMatchObject({ ok: false, text: expect.stringContaining('another file than a moment ago') })
  })

  test('[T7] looks into no file that may hold keys unless it is named, where policy judges it', async () => {
    writeFileSync(join(root, 'credentials.json'), '{"port": "hunter2"}')
    const found = await text('file_search', { text: 'port' })
    expect(found).not.toContain('hunter2')
    expect(found).toContain('[1 files that may hold keys or passwords not searched: name one as path to look into it]')
    expect(await text('file_search', { text: 'port', path: 'credentials.json' })).toContain('hunter2')
    expect(await text('file_search', { glob: '*.json' })).toContain('credentials.json')
  })

  test('with a glob alone answers with names', async () => {
    expect(await text('file_search', { glob: 'src/**/*.{ts,js}' })).toBe('"src/**/*.{ts,js}":\nsrc/db.ts')
  })

  test.each([
    [{}, 'Say what to look for'],
    [{ text: 'a', pattern: 'b' }, 'not both'],
    [{ pattern: '(' }, 'no regular expression'],
    [{ text: 'a', path: '../outside' }, 'outside of the project'],
    [{ glob: '{a,b}'.repeat(40) }, 'too many alternatives'],
  ])('%o is refused', async (given, words) => {
    expect(await run('file_search', given)).toMatchObject({ ok: false, text: expect.stringContaining(words) })
  })

  test('[T7] a hostile pattern is given up, and nothing else stands still meanwhile', async () => {
    for (let at = 0; at < 40; at++) put(`aa/${at}.txt`, 'aaa 7\n')
    expect(await text('file_search', { pattern: 'a+\\s\\d' })).toContain('in 40 of 42 files')
    put('evil.txt', `${'a'.repeat(60)}!\n`)
    let ticks = 0
    const timer = setInterval(() => ticks++, 20)
    const found = await run('file_search', { pattern: '^(a+)+$' })
    clearInterval(timer)
    expect(found).toMatchObject({ ok: false, code: 'too_slow', text: expect.stringContaining('evil.txt') })
    expect(ticks).toBeGreaterThan(20)
  })

  test('[T7] binary, large and hidden files are left out, and said to be', async () => {
    put('big.txt', 'needle'.padEnd(3 * 1024 * 1024))
    put('bin', Uint8Array.from([...Buffer.from('needle'), 0]))
    put('.env', 'needle')
    expect(await text('file_search', { text: 'needle' })).toBe(
      'Nothing found for "needle" (4 files looked at).\n' +
        '[2 binary or large files (over 2097152 bytes) not searched]\n' +
        '[1 hidden or generated left out (name one as the path to look into it)]',
    )
    expect(await text('file_search', { text: 'needle', path: '.env' })).toContain('.env:1: needle')
  })

  test('hits are bounded, in one file and in all', async () => {
    for (let at = 0; at < 10; at++) put(`hits/${at}.txt`, 'needle\n'.repeat(100))
    const lines = (await text('file_search', { text: 'needle' })).split('\n')
    expect(lines.length).toBeLessThan(115)
    expect(lines.at(-1)).toContain('stopped after')
  })

  test('a folder that may not be read is counted', async () => {
    if (process.getuid?.() === 0) return
    put('closed/x.txt', 'port')
    chmodSync(join(root, 'closed'), 0)
    expect(await text('file_search', { text: 'port' })).toContain('1 could not be read')
    chmodSync(join(root, 'closed'), 0o700)
  })
})

describe('[T5] nothing outside of the folders is read', () => {
  const hostile = [
    '../outside/secret.txt',
    'src/../../outside/secret.txt',
    './/..//outside//secret.txt',
    '../project-sibling/secret.txt',
    '/etc/passwd',
    '//etc/passwd',
    '..',
    '/',
    '~/.ssh/id_rsa',
    'README.md\0/../../outside/secret.txt',
    `${'../'.repeat(50)}etc/passwd`,
    'x'.repeat(5000),
  ]
  test.each(hostile)('%j', async (path) => {
    for (const name of ['file_read', 'file_list', 'file_search']) {
      const outcome = await run(name, name === 'file_search' ? { path, text: 'SECRET' } : { path })
      expect(outcome.ok).toBe(false)
      expect(outcome.text).not.toContain(secret)
    }
  })

  test('an absolute path of a sibling with the same beginning', async () => {
    expect(await run('file_read', { path: `${root}-sibling/secret.txt` })).toMatchObject({ ok: false, code: 'outside' })
  })

  test('links: to a file, to a folder, over several, relative, in a circle, into nothing', async () => {
    symlinkSync(join(base, 'outside/secret.txt'), join(root, 'file'))
    symlinkSync('../outside', join(root, 'folder'))
    symlinkSync('folder', join(root, 'second'))
    symlinkSync('loop-b', join(root, 'loop-a'))
    symlinkSync('loop-a', join(root, 'loop-b'))
    symlinkSync('/nowhere/at/all', join(root, 'dangling'))
    const codes = ['file', 'folder/secret.txt', 'second/secret.txt', 'second', 'loop-a', 'dangling'].map(async (path) => {
      const outcome = await run('file_read', { path })
      return outcome.ok ? 'ok' : outcome.code
    })
    expect(await Promise.all(codes)).toEqual(['outside', 'outside', 'outside', 'outside', 'unreadable', 'not_found'])
    expect(await text('file_search', { text: 'SECRET' })).toContain('Nothing found')
    expect((await run('file_read', { path: 'folder' })).text).not.toContain(base)
  })

  test('a link inside to a place inside is followed', async () => {
    symlinkSync('src/db.ts', join(root, 'database'))
    expect(await text('file_read', { path: 'database' })).toContain('port = 5432')
  })

  test('a folder of the project may itself be reached by a link', async () => {
    symlinkSync(root, join(base, 'alias'))
    expect(await text('file_read', { path: 'src/db.ts' }, [join(base, 'alias')])).toContain('port = 5432')
    expect(await text('file_read', { path: join(root, 'src/db.ts') }, [join(base, 'alias')])).toContain('port = 5432')
  })

  test('a file that is exchanged for a link between the look and the opening is not read', async () => {
    const place = await findPlace('src/db.ts', { roots: [root], closed: [] })
    if (!('real' in place)) throw new Error(place.why)
    renameSync(join(root, 'src'), join(root, 'old'))
    mkdirSync(join(base, 'outside/src'))
    put('outside/src/db.ts', secret, base)
    symlinkSync(join(base, 'outside/src'), join(root, 'src'))
    expect(await openPlace(place, { roots: [root], closed: [] })).toMatchObject({ code: 'outside' })
    rmSync(join(root, 'src'))
    mkdirSync(join(root, 'src'))
    symlinkSync(join(base, 'outside/secret.txt'), join(root, 'src/db.ts'))
    expect('why' in (await openPlace(place, { roots: [root], closed: [] }))).toBe(true)
  })

  test('the data folder of the hub is not shown, even inside of a project, unless the project lies in it', async () => {
    put('hub/steward.yaml', 'openaiApiKey: sk-secret')
    put('hub/vault/note.md', 'a sk-secret note')
    symlinkSync('hub', join(root, 'nub'))
    const see = async (name: string, given: JsonObject, roots = [root]) => {
      const tool = fileTools.find((one) => one.name === name)
      return tool?.run(given, contextFor({ roots, closed: [join(root, 'hub')] }))
    }
    for (const path of ['hub/steward.yaml', 'nub/steward.yaml', 'hub', join(root, 'hub/vault/note.md')]) {
      expect(await see('file_read', { path })).toMatchObject({ ok: false, code: 'outside' })
      expect(await see('file_list', { path })).toMatchObject({ ok: false })
    }
    expect((await see('file_search', { text: 'sk-secret' }))?.text).toContain('Nothing found')
    expect((await see('file_list', { depth: 3 }))?.text).not.toContain('hub/')
    expect(await see('file_read', { path: 'steward.yaml' }, [join(root, 'hub')])).toMatchObject({ ok: false })
    expect((await see('file_read', { path: 'note.md' }, [join(root, 'hub/vault')]))?.text).toContain('note')
  })

  test('folders that are gone are named', async () => {
    rmSync(root, { recursive: true })
    for (const name of ['file_read', 'file_list', 'file_search']) {
      const outcome = await run(name, name === 'file_search' ? { text: 'x' } : { path: '.' })
      expect(outcome).toMatchObject({ ok: false, text: `The project's folders are gone: ${root}.` })
    }
  })

  test('an agent sees only what is unveiled to it, and never more than the project', () => {
    expect(unveiled(['/p'], ['./'])).toEqual(['/p'])
    expect(unveiled(['/p', '/q'], ['src', './src'])).toEqual(['/p/src', '/q/src'])
    expect(unveiled(['/p'], ['..', '/etc', '../p2', '/p/docs'])).toEqual(['/p/docs'])
    expect(unveiled(['/p'], [])).toEqual([])
  })
})

describe('[T5] any path at all, over real links', () => {
  let tree: string
  let inside: string
  const outsideNames = ['o1', 'o2']
  beforeAll(() => {
    tree = realpathSync(mkdtempSync(join(tmpdir(), 'steward-paths-')))
    inside = join(tree, 'in')
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    mkdirSync(join(tree, 'out'))
    for (const name of outsideNames) writeFileSync(join(tree, 'out', name), secret)
    writeFileSync(join(inside, 'a/f'), 'fine')
    writeFileSync(join(inside, 'a/b/f'), 'fine')
    const links: readonly (readonly [string, string])[] = [
      ['..', 'a/up'],
      ['../..', 'a/upup'],
      ['/', 'a/slash'],
      ['../../out', 'a/out'],
      ['../b', 'a/b/self'],
      ['../../../out/o1', 'a/b/o1'],
      ['a', 'l'],
      ['l/upup', 'm'],
    ]
    for (const [target, name] of links) symlinkSync(target, join(inside, name))
  })
  afterAll(() => rmSync(tree, { recursive: true, force: true }))

  const part = fc.constantFrom(
    'a',
    'b',
    'f',
    'l',
    'm',
    'up',
    'upup',
    'slash',
    'out',
    'self',
    'o1',
    'o2',
    '..',
    '.',
    '',
    'in',
    'A',
    'tmp',
    'etc',
    'passwd',
  )

  test('what is found lies inside, what is read is never the secret', async () => {
    const path = fc.tuple(fc.constantFrom('', '/', `TREE/`, `TREE/in/`), fc.array(part, { maxLength: 8 }))
    await fc.assert(
      fc.asyncProperty(path, async ([start, parts]) => {
        const written = start.replace('TREE', tree) + parts.join('/')
        const place = await findPlace(written, { roots: [inside], closed: [] })
        if ('real' in place) expect(isInside(place.real, inside)).toBe(true)
        const outcome = await run('file_read', { path: written }, [inside])
        expect(outcome.text).not.toContain(secret)
      }),
      { numRuns: 500 },
    )
  })

  test('no text makes the tools throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (path) => {
        for (const name of ['file_read', 'file_list']) expect((await run(name, { path }, [inside])).text).not.toContain(secret)
      }),
      { numRuns: 150 },
    )
  })
})

describe('globs', () => {
  test.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['**/test/**', 'a/test/b/c', true],
    ['./docs/**', 'docs/a/b.md', true],
    ['*.{yml,yaml}', 'ci.YAML', true],
    ['file?.txt', 'file1.txt', true],
    ['[a', '[a', true],
  ])('%s with %s: %s', (pattern, path, expected) => {
    expect(globOf(pattern)?.(path)).toBe(expected)
  })

  test('a hostile one takes no time', () => {
    const started = performance.now()
    expect(matchName(`${'*a'.repeat(100)}b`, 'a'.repeat(4000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('names match as a plain regular expression says', () => {
    const name = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 7 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(name, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (pattern, subject) => {
        const regular = new RegExp(`^${pattern.replaceAll('?', '.').replaceAll('*', '.*')}$`)
        expect(matchName(pattern, subject)).toBe(regular.test(subject))
      }),
    )
  })
})
