import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { homeFolders, makeHome, makeSocketPath, readRuntime, removeRuntime, runtimeFile, writeRuntime } from './home.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-home-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const uid = process.getuid?.() ?? 0
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the data folder', () => {
  test('[C7] is made with its folders, open to nobody else', () => {
    const home = join(folder, 'a', 'home')
    expect(makeHome(home)).toEqual([])
    for (const path of [home, ...homeFolders.map((name) => join(home, name))]) expect(modeOf(path)).toBe(0o700)
    expect(makeHome(home)).toEqual([])
  })

  test('[C7] that is open to others is narrowed, and that is told', () => {
    const home = join(folder, 'home')
    makeHome(home)
    chmodSync(home, 0o755)
    expect(makeHome(home)).toEqual([`${home} was open to others (mode 0755) and is now 0700.`])
    expect(modeOf(home)).toBe(0o700)
  })

  test('[C7] is never a folder full of other things, nor a file', () => {
    writeFileSync(join(folder, 'thesis.txt'), 'x')
    const before = modeOf(folder)
    expect(() => makeHome(folder)).toThrow(/a folder with other things in it \(thesis.txt\)/)
    expect(modeOf(folder)).toBe(before)
    expect(existsSync(join(folder, 'blobs'))).toBe(false)
    expect(() => makeHome(join(folder, 'thesis.txt'))).toThrow(/which is a file/)
  })

  test('[C7] may hold settings before the first start', () => {
    writeFileSync(join(folder, 'steward.yaml'), '')
    expect(() => makeHome(folder)).not.toThrow()
  })
})

describe('the socket', () => {
  test('[C7] lies in the runtime directory of the session, in a folder of its own', () => {
    const path = makeSocketPath('/home/ada/.steward', { runtimeDir: folder, tmp: folder, uid })
    expect(path).toMatch(new RegExp(`^${folder}/steward-[0-9a-f]{16}/hub.sock$`))
    expect(modeOf(join(path, '..'))).toBe(0o700)
  })

  test('[C7] has a path for each data folder', () => {
    const places = { runtimeDir: folder, tmp: folder, uid }
    expect(makeSocketPath('/a', places)).not.toBe(makeSocketPath('/b', places))
    expect(makeSocketPath('/a', places)).toBe(makeSocketPath('/a', places))
  })

  test('[C7] lies below /tmp when the runtime directory is missing, too long, or not writable', () => {
    const short = new RegExp(`^${folder}/steward-${uid}/[0-9a-f]{16}/hub.sock$`)
    writeFileSync(join(folder, 'file'), '')
    for (const runtimeDir of [undefined, `/${'x'.repeat(120)}`, join(folder, 'file')]) {
      expect(makeSocketPath('/a', { runtimeDir, tmp: folder, uid })).toMatch(short)
    }
  })

  test('[C7] a path over the limit of the system is named', () => {
    const tmp = join(folder, 'x'.repeat(90))
    expect(() => makeSocketPath('/a', { tmp, uid })).toThrow(/has \d+ bytes; allowed are at most 10[37]/)
  })

  test('[C7] is not put into a folder of somebody else, nor behind a link', () => {
    expect(() => makeSocketPath('/a', { tmp: folder, uid: uid + 1 })).toThrow(/belongs to somebody else/)
    mkdirSync(join(folder, 'target'))
    rmSync(join(folder, `steward-${uid}`), { recursive: true, force: true })
    symlinkSync(join(folder, 'target'), join(folder, `steward-${uid}`))
    expect(() => makeSocketPath('/a', { tmp: folder, uid })).toThrow(/belongs to somebody else/)
  })
})

describe('the note of where the hub is', () => {
  const note = { socket: '/tmp/x.sock', pid: process.pid, address: 'http://127.0.0.1:4180', version: '0.1.0' }

  test('is read as it was written, private, and removed by its own process only', () => {
    writeRuntime(folder, note)
    expect(readRuntime(folder)).toEqual(note)
    expect(modeOf(runtimeFile(folder))).toBe(0o600)
    writeRuntime(folder, { ...note, pid: 1 })
    removeRuntime(folder)
    expect(readRuntime(folder)?.pid).toBe(1)
    writeRuntime(folder, note)
    removeRuntime(folder)
    expect(readRuntime(folder)).toBeNull()
  })

  test.each(['', '{', 'null', '7', '{"socket": 1}', '[]'])('%j is no note', (text) => {
    writeFileSync(runtimeFile(folder), text)
    expect(readRuntime(folder)).toBeNull()
  })
})
