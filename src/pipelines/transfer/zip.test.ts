import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { readFolder } from './folder.ts'
import { importLimits } from './limits.ts'
import { type ByHand, byHand } from './testing.ts'
import { jsonIn } from './text.ts'
import { readZip, writeZip } from './zip.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const text = (value: string) => new TextEncoder().encode(value)
const one = (more: Partial<ByHand>): Uint8Array => byHand([{ name: 'a.agent.json', content: text('{}'), ...more }])

describe('reading archives', () => {
  test('what was written is read again', async () => {
    const name = fc.stringMatching(/^[a-z0-9_.-]{1,20}(\/[a-z0-9_-]{1,10}){0,3}$/).filter((path) => !/(^|\/)\.{1,2}(\/|$)/.test(path))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 300 })), { selector: ([path]) => path, minLength: 1 }),
        async (given) => {
          const files = new Map(given.map(([path, content]) => [path, Uint8Array.from(content)]))
          const read = await readZip(await writeZip(files, 1_700_000_000_000))
          expect([...read].map(([path, content]) => [path, [...content]])).toEqual(
            [...files].map(([path, content]) => [path, [...content]]),
          )
        },
      ),
      { numRuns: 30 },
    )
  })

  test('[Y175] hostile names are refused with the reason', async () => {
    const names: readonly (readonly [string, RegExp])[] = [
      ['../a.agent.json', /lead out/],
      ['x/../../a.json', /lead out/],
      ['/etc/passwd', /absolute/],
      ['C:/a.json', /absolute/],
      ['c:a.json', /absolute/],
      ['..\\a.json', /backslash/],
      ['a\u0000.json', /control/],
      ['a\nb.json', /control/],
      ['x//a.json', /empty parts/],
      ['./a.json', /empty parts/],
      [`${'x'.repeat(600)}.json`, /1 to 512/],
    ]
    for (const [name, why] of names) await expect(readZip(one({ name })), name).rejects.toThrow(why)
  })

  test('[Y175] links, devices, encryption, unknown methods, other encodings and doubles are refused', async () => {
    await expect(readZip(one({ mode: 0o120777 }))).rejects.toThrow(/symbolic links/)
    await expect(readZip(one({ mode: 0o020666 }))).rejects.toThrow(/only plain files/)
    await expect(readZip(one({ flags: 1 }))).rejects.toThrow(/encrypted/)
    await expect(readZip(one({ method: 12 }))).rejects.toThrow(/compression method 12/)
    await expect(readZip(one({ rawName: Uint8Array.of(0xff, 0xfe, 0x2e, 0x6a) }))).rejects.toThrow(/not UTF-8/)
    const twice = [
      { name: 'a.json', content: text('1') },
      { name: 'a.json', content: text('2') },
    ]
    await expect(readZip(byHand(twice))).rejects.toThrow(/twice/)
    const cases = [
      { name: 'a.json', content: text('1') },
      { name: 'A.json', content: text('2') },
    ]
    await expect(readZip(byHand(cases))).rejects.toThrow(/only in case/)
  })

  test('[Y175] bombs are refused before or while they are unpacked', async () => {
    const zeros = new Uint8Array(9_000_000)
    await expect(readZip(await writeZip(new Map([['bomb.json', zeros]]), 0))).rejects.toThrow(/more than 200 times/)
    await expect(readZip(one({ declaredSize: 50_000_000 }))).rejects.toThrow(/allowed are 10000000/)
    await expect(readZip(one({ content: text('x'.repeat(500)), declaredSize: 10 }))).rejects.toThrow(/a\.agent\.json/)
    const many = Array.from({ length: 2_001 }, (_, at) => ({ name: `f${at}.json`, content: text('1') }))
    await expect(readZip(byHand(many))).rejects.toThrow(/2001 files; allowed are 2000/)
    const lying = byHand(many.slice(0, 5), { count: 60_000 })
    await expect(readZip(lying)).rejects.toThrow(/60000 files|no ZIP archive/)
    const random = Uint8Array.from({ length: 400_000 }, (_, at) => (at * 2_654_435_761) >>> 13)
    const big = byHand([1, 2, 3].map((at) => ({ name: `${at}.json`, content: random })))
    await expect(readZip(big, { ...importLimits, all: 1_000_000 })).rejects.toThrow(/in all/)
  })

  test('[Y175] what is no archive, cut, empty or without files is said to be', async () => {
    await expect(readZip(new Uint8Array())).rejects.toThrow(/empty/)
    await expect(readZip(text('{"workflows": []}'))).rejects.toThrow(/no ZIP archive/)
    const good = one({})
    await expect(readZip(good.slice(0, good.length - 10))).rejects.toThrow(/no ZIP archive/)
    await expect(readZip(good.slice(20))).rejects.toThrow(/ZIP|damaged|unpacked/)
    await expect(readZip(byHand([]))).rejects.toThrow(/no files/)
    await expect(readZip(byHand([{ name: 'only/', content: new Uint8Array() }]))).rejects.toThrow(/no files/)
  })

  test('[Y175] any damage of an archive ends in files or in a refusal', async () => {
    const good = await writeZip(
      new Map([
        ['a.agent.json', text('{"workflows":[]}')],
        ['b/1/b.workflow.json', text('{}')],
      ]),
      0,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }), async (changes) => {
        const bad = Uint8Array.from(good)
        for (const [at, value] of changes) bad[at] = value
        const answer = await readZip(bad).catch((thrown: unknown) => thrown)
        expect(answer instanceof Map || (answer instanceof Error && answer.name === 'ImportRefused')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('reading folders', () => {
  test('[Y175] links are not followed, hidden files are left out, limits hold', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-import-'))
    folders.push(folder)
    mkdirSync(join(folder, 'w', '1'), { recursive: true })
    writeFileSync(join(folder, 'a.agent.json'), '{}')
    writeFileSync(join(folder, 'w', '1', 'w.workflow.json'), '{}')
    writeFileSync(join(folder, '.DS_Store'), 'x')
    expect([...(await readFolder(folder)).keys()]).toEqual(['a.agent.json', 'w/1/w.workflow.json'])
    await expect(readFolder(folder, { ...importLimits, files: 1 })).rejects.toThrow(/more than 1 files/)
    await expect(readFolder(folder, { ...importLimits, file: 1 })).rejects.toThrow(/2 bytes/)
    symlinkSync('/etc/hostname', join(folder, 'b.json'))
    await expect(readFolder(folder)).rejects.toThrow(/symbolic links/)
    await expect(readFolder(join(folder, 'none'))).rejects.toThrow(/no folder/)
  })
})

describe('the text of a file', () => {
  test('is UTF-8, with or without a mark, and of bounded depth', () => {
    expect(jsonIn('a', text('{"x": ["ü", 1]}'))).toEqual({ x: ['ü', 1] })
    expect(jsonIn('a', Uint8Array.of(0xef, 0xbb, 0xbf, ...text('[]')))).toEqual([])
    expect(() => jsonIn('a', Uint8Array.from(Buffer.from('\ufeff{}', 'utf16le')))).toThrow(/UTF-16/)
    expect(() => jsonIn('a', Uint8Array.from(Buffer.from('{}', 'utf16le')))).toThrow(/UTF-16/)
    expect(() => jsonIn('a', Uint8Array.of(0x22, 0xff, 0x22))).toThrow(/not UTF-8/)
    expect(() => jsonIn('a', text('{"x": }'))).toThrow(/no JSON/)
    expect(() => jsonIn('a', text('['.repeat(100_000)))).toThrow(/more than 64 deep/)
    expect(jsonIn('a', text(`${'['.repeat(64)}"[[[[\\"[["${']'.repeat(64)}`))).toBeTruthy()
  })
})
