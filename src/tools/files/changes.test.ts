import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { Plan } from '../../policy/decision.ts'
import { contextFor } from '../testing.ts'
import type { Outcome, ToolContext } from '../tool.ts'
import { edited } from './edits.ts'
import { changingFileTools, folderPast } from './files.ts'
import { openFolder, put, Stale } from './folder.ts'
import { realView } from './place.ts'
import { isGitInternal } from './target.ts'

let base: string
let root: string
let keys = 0

const file = (path: string) => join(root, path)
const read = (path: string) => readFileSync(file(path), 'utf8')
function write(path: string, text: string | Uint8Array, from = root) {
  mkdirSync(dirname(join(from, path)), { recursive: true })
  writeFileSync(join(from, path), text)
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-changes-')))
  root = join(base, 'project')
  mkdirSync(root)
  write('src/db.ts', 'const a = 1\nconst b = 2\nconst c = 3\n')
  write('secret.txt', 'OUTSIDE', join(base, 'outside'))
  return () => rmSync(base, { recursive: true, force: true })
})

type Given = Partial<ToolContext>
const toolOf = (name: string) => {
  const tool = changingFileTools({ past: folderPast(join(base, 'past')), now: () => 1_000 }).find((one) => one.name === name)
  if (!tool) throw new Error(name)
  return tool
}
const contextOf = (given: Given = {}) => contextFor({ roots: [root], key: `trn_1/${++keys}`, ...given })
/** A new past each time: what is kept is on the disk alone. */
const run = (name: string, input: JsonObject, given?: Given): Promise<Outcome> => toolOf(name).run(input, contextOf(given))
const plan = async (name: string, input: JsonObject, given?: Given): Promise<Plan> => {
  const made = await toolOf(name).plan(input, contextOf(given))
  if (!made) throw new Error('no plan')
  return made
}
const idIn = ({ text }: Outcome) => /chg_[0-9a-f]{24}/.exec(text)?.[0] ?? 'none'

describe('file_write', () => {
  test('[T10, T11] makes a file with its folders, and an undo takes it away', async () => {
    const made = await run('file_write', { path: 'a/b/new.txt', text: 'hello\n' })
    expect(made).toMatchObject({ ok: true, wrote: [file('a/b/new.txt')] })
    expect(read('a/b/new.txt')).toBe('hello\n')
    expect(readdirSync(file('a/b'))).toEqual(['new.txt'])
    expect(await run('file_undo', { id: idIn(made) })).toMatchObject({ ok: true })
    expect(existsSync(file('a/b/new.txt'))).toBe(false)
  })

  test('[T10] keeps rights, line ends and the mark at the beginning', async () => {
    write('dos.txt', '\ufeffone\r\ntwo\r\n')
    chmodSync(file('dos.txt'), 0o750)
    await run('file_write', { path: 'dos.txt', text: 'one\nthree\n' })
    expect(read('dos.txt')).toBe('\ufeffone\r\nthree\r\n')
    expect(statSync(file('dos.txt')).mode & 0o777).toBe(0o750)
  })

  test('[T10] what a file holds already is no change: nobody is asked, and what came in between is not written over', async () => {
    write('same.txt', 'one\n')
    const planned = await plan('file_write', { path: 'same.txt', text: 'one\n' })
    expect(planned).toMatchObject({ risk: 'R0', consequences: 'Nothing: same.txt has exactly this content already.' })
    write('same.txt', 'other\n')
    const late = await run('file_write', { path: 'same.txt', text: 'one\n' }, { binding: planned.binding ?? '' })
    expect(late).toMatchObject({ ok: false, code: 'stale' })
    expect(read('same.txt')).toBe('other\n')
  })

  test('[T11] what a crash left beside the file is gone when the same call comes again', async () => {
    const input = { path: 'x.txt', text: 'one' }
    const change = idIn(await run('file_write', input, { key: 'trn_9/c' }))
    const half = `.steward-${createHash('sha256').update(change).digest('hex').slice(0, 16)}.part`
    write(half, 'on')
    expect(await run('file_write', input, { key: 'trn_9/c' })).toMatchObject({ ok: true })
    expect(readdirSync(root)).not.toContain(half)
    expect(read('x.txt')).toBe('one')
  })

  test('[T11] the same call again after a crash is known, another one is not', async () => {
    const input = { path: 'x.txt', text: 'one' }
    const first = await run('file_write', input, { key: 'trn_9/a' })
    expect(await run('file_write', input, { key: 'trn_9/a' })).toMatchObject({ ok: true, text: expect.stringContaining(idIn(first)) })
    expect(await run('file_write', input)).toMatchObject({ ok: true, text: 'x.txt has exactly this content already; nothing was changed.' })
    write('x.txt', 'two')
    await run('file_write', input, { key: 'trn_9/a' })
    expect(read('x.txt')).toBe('one')
  })

  test('[T10] says what is wrong', async () => {
    expect(await run('file_write', { path: 'src', text: 'x' })).toMatchObject({ ok: false, text: 'src is a folder; name a file.' })
    expect(await run('file_write', { path: 'src/db.ts/x', text: 'x' })).toMatchObject({ ok: false, code: 'not_found' })
    expect(await run('file_write', { path: '.', text: 'x' })).toMatchObject({ ok: false, code: 'invalid' })
    expect(await run('file_write', { path: 'a', text: '\ud800' })).toMatchObject({ ok: false, code: 'invalid' })
  })
})

describe('file_edit', () => {
  test('[T10, T11] replaces what stands there once, shows the difference, and can be undone and redone', async () => {
    const made = await run('file_edit', { path: 'src/db.ts', old: 'const b = 2', new: 'const b = 20' })
    expect(made.text).toContain('-const b = 2\n+const b = 20')
    expect(made).toMatchObject({ ok: true, read: [file('src/db.ts')], wrote: [file('src/db.ts')] })
    expect(read('src/db.ts')).toBe('const a = 1\nconst b = 20\nconst c = 3\n')
    const undone = await run('file_undo', { id: idIn(made) })
    expect(read('src/db.ts')).toBe('const a = 1\nconst b = 2\nconst c = 3\n')
    await run('file_undo', { id: idIn(undone) })
    expect(read('src/db.ts')).toContain('const b = 20')
  })

  test('[T10] keeps mixed line ends outside of what it replaces', async () => {
    write('mixed.txt', 'one\r\ntwo\nthree\r\nfour\r\n')
    await run('file_edit', { path: 'mixed.txt', old: 'two\nthree', new: '2\n3' })
    expect(read('mixed.txt')).toBe('one\r\n2\r\n3\r\nfour\r\n')
  })

  test.each<[JsonObject, string]>([
    [{ old: 'const', new: 'let' }, '"old" stands 3 times (lines 1, 2, 3)'],
    [{ old: 'const b = 3', new: '' }, 'Nearest to it are lines 2 to 2:\nconst b = 2'],
    [{ old: 'nothing like this at all', new: '' }, 'Read the file again'],
    [{ old: 'const a = 1', new: 'const a = 1' }, 'change nothing'],
    [{ old: '', new: 'x' }, 'Say what to replace'],
    [
      {
        edits: [
          { old: 'const a', new: 'let a' },
          { old: 'gone', new: '' },
        ],
      },
      'Edit 2 of 2',
    ],
  ])('[T10] %j is refused and changes nothing', async (given, words) => {
    const before = read('src/db.ts')
    const answer = await run('file_edit', { path: 'src/db.ts', ...given })
    expect(answer).toMatchObject({ ok: false, text: expect.stringContaining(words) })
    expect(read('src/db.ts')).toBe(before)
  })

  test('[T10] all and several edits', async () => {
    await run('file_edit', { path: 'src/db.ts', old: 'const', new: 'let', all: true })
    await run('file_edit', { path: 'src/db.ts', edits: [{ old: 'let a = 1\n' }, { old: 'let b = 2', new: 'let b = $&' }] })
    expect(read('src/db.ts')).toBe('let b = $&\nlet c = 3\n')
  })

  test('[T6, T10] binary files are left alone', async () => {
    write('data', Uint8Array.from([65, 0, 66]))
    expect(await run('file_edit', { path: 'data', old: 'A', new: 'B' })).toMatchObject({ ok: false, code: 'invalid' })
  })
})

describe('[T13] a secret that stands in a file', () => {
  const value = 'sk-live-abc123'
  const seal = async (text: string) => text.replaceAll(value, '{{secret:found-1}}').replaceAll('other-value', '{{secret:b}}')
  const change = async (name: string, input: JsonObject) => {
    const tool = changingFileTools({ past: folderPast(join(base, 'past')), now: () => 1_000, seal }).find((one) => one.name === name)
    return tool?.run(input, contextOf())
  }

  test('stays what it is when its line is edited or the file is written by its reference', async () => {
    write('conf.env', `A=1\nKEY=${value}\nB=other-value\n`)
    expect(await change('file_edit', { path: 'conf.env', old: 'KEY={{secret:found-1}}', new: 'TOKEN={{secret:found-1}}' })).toMatchObject({
      ok: true,
    })
    expect(read('conf.env')).toBe(`A=1\nTOKEN=${value}\nB=other-value\n`)
    await change('file_write', { path: 'conf.env', text: 'B={{secret:b}}\nTOKEN={{secret:found-1}}\nC={{secret:unknown}}\n' })
    expect(read('conf.env')).toBe(`B=other-value\nTOKEN=${value}\nC={{secret:unknown}}\n`)
  })

  test('is not brought into another file by its reference', async () => {
    write('conf.env', `KEY=${value}\n`)
    await change('file_write', { path: 'other.env', text: 'KEY={{secret:found-1}}\n' })
    expect(read('other.env')).toBe('KEY={{secret:found-1}}\n')
  })
})

describe('file_move and file_delete', () => {
  test('[T11] come back with file_undo, bytes and rights', async () => {
    chmodSync(file('src/db.ts'), 0o600)
    const deleted = await run('file_delete', { path: 'src/db.ts' })
    expect(existsSync(file('src/db.ts'))).toBe(false)
    await run('file_undo', { id: idIn(deleted) })
    expect(read('src/db.ts')).toContain('const a = 1')
    expect(statSync(file('src/db.ts')).mode & 0o777).toBe(0o600)
    const moved = await run('file_move', { path: 'src/db.ts', to: 'lib/deep/store.ts' })
    expect(moved).toMatchObject({ ok: true, wrote: [file('lib/deep/store.ts'), file('src/db.ts')] })
    expect([existsSync(file('src/db.ts')), read('lib/deep/store.ts').length]).toEqual([false, 36])
    await run('file_undo', { id: idIn(moved) })
    expect([existsSync(file('lib/deep/store.ts')), read('src/db.ts').length]).toEqual([false, 36])
  })

  test('[T11] a folder moves and comes back', async () => {
    const moved = await run('file_move', { path: 'src', to: 'lib' })
    expect(read('lib/db.ts')).toContain('const')
    await run('file_undo', { id: idIn(moved) })
    expect(read('src/db.ts')).toContain('const')
  })

  test('[T10] nothing is overwritten, nothing goes into itself', async () => {
    write('other.ts', 'other')
    expect(await run('file_move', { path: 'src/db.ts', to: 'other.ts' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('there already'),
    })
    expect(await run('file_move', { path: 'src', to: 'src/in/it' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('into itself'),
    })
    expect(await run('file_delete', { path: 'src' })).toMatchObject({ ok: false, text: expect.stringContaining('one by one') })
    expect(await run('file_delete', { path: 'gone' })).toMatchObject({ ok: false, code: 'not_found' })
  })
})

describe('[T11] an undo', () => {
  test('is refused when the file was changed since, and for what others did', async () => {
    const made = await run('file_edit', { path: 'src/db.ts', old: 'const a', new: 'let a' })
    const contextOther = { process: { ...contextOf().process, project: 'other' } }
    expect(await run('file_undo', { id: idIn(made) }, contextOther)).toMatchObject({ ok: false, code: 'not_found' })
    write('src/db.ts', 'mine')
    expect(await run('file_undo', { id: idIn(made) })).toMatchObject({ ok: false, code: 'stale' })
    expect(read('src/db.ts')).toBe('mine')
    for (const id of ['chg_000000000000000000000000', '../../x', 'nonsense'])
      expect(await run('file_undo', { id })).toMatchObject({ ok: false, code: 'not_found' })
  })
})

describe('[T8, T10] a plan', () => {
  test('shows the difference and is bound to what was there', async () => {
    const input = { path: 'src/db.ts', old: 'const b = 2', new: 'const b = 20' }
    const made = await plan('file_edit', input)
    expect(made).toMatchObject({ tool: 'file_edit', capability: 'fs.write', target: file('src/db.ts'), outward: false, destructive: false })
    expect(made.preview).toContain('+const b = 20')
    expect(await plan('file_edit', input)).toEqual(made)
    write('src/db.ts', `${read('src/db.ts')}// more\n`)
    expect((await plan('file_edit', input)).binding).not.toBe(made.binding)
    expect(await run('file_edit', input, { binding: made.binding ?? '' })).toMatchObject({ ok: false, code: 'stale' })
    expect(read('src/db.ts')).toContain('const b = 2\n')
  })

  test('new files and folders under version control are R1, the rest R2; what runs by itself is R2', async () => {
    const risk = async (name: string, input: JsonObject) => (await plan(name, input)).risk
    expect(await risk('file_write', { path: 'new.txt', text: 'x' })).toBe('R1')
    expect(await risk('file_write', { path: 'src/db.ts', text: 'x' })).toBe('R2')
    expect(await risk('file_write', { path: '.github/workflows/ci.yml', text: 'x' })).toBe('R2')
    mkdirSync(file('.git'))
    expect(await risk('file_write', { path: 'src/db.ts', text: 'x' })).toBe('R1')
    expect(await risk('file_delete', { path: 'src/db.ts' })).toBe('R2')
  })

  test('of a move names both ends, and is as risky as the riskier of them', async () => {
    mkdirSync(file('.git'))
    expect(await plan('file_move', { path: 'src/db.ts', to: 'lib/store.ts' })).toMatchObject({
      target: file('src/db.ts'),
      also: [file('lib/store.ts')],
      risk: 'R1',
      consequences: expect.stringContaining('src/db.ts to lib/store.ts'),
    })
    expect(await plan('file_move', { path: 'src/db.ts', to: '.husky/pre-push' })).toMatchObject({ risk: 'R2' })
    expect(await plan('file_move', { path: 'src', to: '.vscode' })).toMatchObject({ risk: 'R2' })
    const moved = await run('file_move', { path: 'src/db.ts', to: 'lib/store.ts' })
    expect(await plan('file_undo', { id: idIn(moved) })).toMatchObject({ also: [file('src/db.ts')] })
  })

  test('a call that can not be done asks nobody, and is not done should it become possible', async () => {
    const input = { path: 'src/db.ts', old: 'let a', new: 'x' }
    const made = await plan('file_edit', input)
    expect(made).toMatchObject({ risk: 'R0', binding: 'fault:invalid' })
    write('src/db.ts', 'let a')
    expect(await run('file_edit', input, { binding: made.binding ?? '' })).toMatchObject({ ok: false, code: 'stale' })
    expect(read('src/db.ts')).toBe('let a')
  })
})

describe('[T10] no way leads out', () => {
  const outside = () => readFileSync(join(base, 'outside/secret.txt'), 'utf8')

  test.each([
    '../outside/secret.txt',
    'src/../../outside/secret.txt',
    'link/secret.txt',
    'file-link',
    'dangling',
    'self/outside/secret.txt',
    'link/new.txt',
    'dangling/new.txt',
  ])('by %s', async (path) => {
    symlinkSync('../outside', file('link'))
    symlinkSync('../outside/secret.txt', file('file-link'))
    symlinkSync('../outside/new.txt', file('dangling'))
    symlinkSync(`/proc/self/root${base}`, file('self'))
    for (const [name, input] of [
      ['file_write', { path, text: 'x' }],
      ['file_edit', { path, old: 'OUTSIDE', new: 'x' }],
      ['file_delete', { path }],
      ['file_move', { path, to: 'in.txt' }],
      ['file_move', { path: 'src/db.ts', to: path }],
    ] as const) {
      expect(await run(name, input)).toMatchObject({ ok: false })
    }
    expect([outside(), existsSync(join(base, 'outside/new.txt')), existsSync(file('in.txt'))]).toEqual(['OUTSIDE', false, false])
    expect(existsSync(file('src/db.ts'))).toBe(true)
  })

  test('a hard link is parted from its other name: that keeps what it has', async () => {
    linkSync(join(base, 'outside/secret.txt'), file('hard.txt'))
    await run('file_write', { path: 'hard.txt', text: 'changed' })
    expect([read('hard.txt'), outside()]).toEqual(['changed', 'OUTSIDE'])
  })

  test('a link inside leads to the file it means', async () => {
    symlinkSync('src/db.ts', file('short.ts'))
    await run('file_edit', { path: 'short.ts', old: 'const a', new: 'let a' })
    expect(read('src/db.ts')).toContain('let a')
  })

  test.each(['.git/config', '.GIT/hooks/post-checkout', 'sub/.git/config', '.g\u200cit/config', '.git', 'git~1/config', '.git ./config'])(
    'git itself is left alone: %j',
    async (path) => {
      mkdirSync(file('.git'))
      expect(await run('file_write', { path, text: 'x' })).toMatchObject({ ok: false, code: 'protected' })
      expect(isGitInternal('/a/.gitignore')).toBe(false)
    },
  )

  test("the hub's own folder is closed, a project in it is open", async () => {
    write('hub/steward.db', 'x')
    write('hub/work/a.txt', 'x')
    const closed = [file('hub')]
    expect(await run('file_write', { path: 'hub/steward.db', text: 'y' }, { closed })).toMatchObject({ ok: false, code: 'outside' })
    expect(await run('file_write', { path: 'a.txt', text: 'y' }, { closed, roots: [file('hub/work')] })).toMatchObject({ ok: true })
  })

  test('a folder that becomes a link between the look and the change', async () => {
    const view = await realView({ roots: [root], closed: [] })
    renameSync(file('src'), file('old'))
    symlinkSync('../outside', file('src'))
    await expect(openFolder(file('src'), file('src'), view)).rejects.toThrow(Stale)
    await expect(openFolder(file('src/deep'), root, view)).rejects.toThrow(Stale)
    expect(readdirSync(join(base, 'outside'))).toEqual(['secret.txt'])
  })

  test('while somebody swaps folder and link all the time', async () => {
    write('a.txt', 'OUTSIDE', join(base, 'outside'))
    let isOver = false
    const swapping = (async () => {
      for (let at = 0; !isOver; at++) {
        await rm(file('spot'), { recursive: true, force: true }).catch(() => {})
        await (at % 2 === 0 ? symlink('../outside', file('spot')) : mkdir(file('spot'))).catch(() => {})
      }
    })()
    for (let at = 0; at < 150; at++) {
      await Promise.all([
        run('file_write', { path: 'spot/a.txt', text: `inside ${at}` }),
        run('file_write', { path: `spot/new${at}.txt`, text: 'x' }),
        run('file_edit', { path: 'spot/a.txt', old: 'OUTSIDE', new: 'x' }),
        run('file_delete', { path: 'spot/secret.txt' }),
        run('file_move', { path: 'spot/secret.txt', to: `stolen${at}` }),
      ])
    }
    isOver = true
    await swapping
    expect(readdirSync(join(base, 'outside')).sort()).toEqual(['a.txt', 'secret.txt'])
    expect([outside(), readFileSync(join(base, 'outside/a.txt'), 'utf8')]).toEqual(['OUTSIDE', 'OUTSIDE'])
    expect(readdirSync(root).filter((name) => name.startsWith('stolen'))).toEqual([])
    await rm(file('spot'), { recursive: true, force: true })
    expect(await run('file_write', { path: 'spot/a.txt', text: 'in peace' })).toMatchObject({ ok: true })
  })

  test('a folder that is swapped for a link while it is open', async () => {
    const view = await realView({ roots: [root], closed: [] })
    const folder = await openFolder(file('src'), file('src'), view)
    renameSync(file('src'), file('old'))
    symlinkSync('../outside', file('src'))
    await put(folder, 'new.txt', { bytes: Buffer.from('x'), expects: null, mode: null, key: 'k' })
    await folder.close()
    expect([readdirSync(join(base, 'outside')), existsSync(file('old/new.txt'))]).toEqual([['secret.txt'], true])
  })

  test('a file that another program makes or changes meanwhile is not overwritten', async () => {
    const view = await realView({ roots: [root], closed: [] })
    const folder = await openFolder(file('src'), file('src'), view)
    await expect(put(folder, 'db.ts', { bytes: Buffer.from('x'), expects: null, mode: null, key: 'k' })).rejects.toThrow(Stale)
    await expect(put(folder, 'db.ts', { bytes: Buffer.from('x'), expects: '0'.repeat(64), mode: null, key: 'k' })).rejects.toThrow(Stale)
    await folder.close()
    expect([read('src/db.ts').length, readdirSync(file('src'))]).toEqual([36, ['db.ts']])
  })
})

test('[T10] a name that no disk takes is named as such', async () => {
  expect(await run('file_write', { path: `src/${'x'.repeat(300)}`, text: 'x' })).toMatchObject({
    ok: false,
    code: 'invalid',
    text: expect.stringContaining('longer'),
  })
})

test('[T11] the same bytes kept twice at once are kept once, whole', async () => {
  const past = folderPast(join(base, 'past'))
  const bytes = Buffer.alloc(3_000_000, 7)
  const names = await Promise.all(Array.from({ length: 8 }, () => past.keep(bytes)))
  expect(new Set(names).size).toBe(1)
  expect(Buffer.compare((await past.bytes(names[0] ?? '')) ?? Buffer.alloc(0), bytes)).toBe(0)
})

test('[T10] the nearest place is found soon, however much is wanted in however long a file', () => {
  const line = (at: number, word: string) => `row ${at % 7} of the ${word} table, with a value and a comment`
  const text = Array.from({ length: 20_000 }, (_, at) => line(at, 'long')).join('\n')
  const old = Array.from({ length: 2_000 }, (_, at) => line(at, 'other')).join('\n')
  const began = performance.now()
  expect(edited(text, [{ old, new: '' }])).toMatchObject({ why: expect.stringContaining('Nearest to it are lines 1 to ') })
  expect(performance.now() - began).toBeLessThan(5_000)
})
