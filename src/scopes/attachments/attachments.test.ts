import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DiskFull, TooLarge } from '../../base/errors.ts'
import { openBlobs } from './blobs.ts'
import { compatible, detect, typeOf } from './mime.ts'
import { cleanName, disposition } from './name.ts'
import { type AttachmentRooms, openAttachments } from './open-attachments.ts'

const folder = mkdtempSync(join(tmpdir(), 'steward-blobs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const looked = (bytes: string | number[], declared: string | null, name = 'a') => {
  const head = Uint8Array.from(Buffer.from(bytes as string))
  return typeOf({ head, isText: typeof bytes === 'string', declared, name })
}

describe('types', () => {
  test.each([
    ['# hello', 'text/markdown', 'a', 'text/markdown'],
    ['# hello', null, 'notes.md', 'text/markdown'],
    ['{}', null, 'a.json', 'application/json'],
    ['a,b', 'text/csv; charset=utf-8', 'a', 'text/csv'],
    ['<svg onload="x">', 'image/svg+xml', 'a.svg', 'text/plain'],
    ['<html>', 'text/html', 'a.html', 'text/plain'],
    ['alert(1)', 'text/javascript', 'a.js', 'text/plain'],
    ['BM is two letters', 'text/plain', 'a', 'text/plain'],
    ['no picture', 'image/png', 'a.png', 'text/plain'],
  ])('[Y211] of a text: %j said to be %s, named %s, is %s', (bytes, declared, name, mime) => {
    expect(looked(bytes, declared, name)).toBe(mime)
  })

  test.each([
    [[1, 2, 3, 0xff], 'image/heic', 'a', 'image/heic'],
    [[1, 2, 3, 0xff], 'image/png', 'a', 'application/octet-stream'],
    [[1, 2, 3, 0xff], 'text/plain', 'a', 'application/octet-stream'],
    [[1, 2, 3, 0xff], 'image/svg+xml', 'a', 'application/octet-stream'],
    [[1, 2, 3, 0xff], 'application/x-shockwave-flash', 'a', 'application/octet-stream'],
    [[1, 2, 3, 0xff], 'a/b\r\nx: y', 'a', 'application/octet-stream'],
    [[0x50, 0x4b, 3, 4], 'application/epub+zip', 'a', 'application/epub+zip'],
    [[0x50, 0x4b, 3, 4], null, 'a.DOCX', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [[0x50, 0x4b, 3, 4], 'image/png', 'constructor', 'application/zip'],
    [[0xff, 0xd8, 0xff, 0xe0], 'image/png', 'a.png', 'image/jpeg'],
  ])('[Y211] of bytes: %j said to be %s, named %s, is %s', (bytes, declared, name, mime) => {
    expect(looked(bytes, declared, name)).toBe(mime)
  })

  test('[Y211] marks that begin alike are told apart, and a short head is none', () => {
    const riff = (word: string) => detect(Buffer.from(`RIFF\0\0\0\0${word}`, 'latin1'))
    expect([riff('WEBP'), riff('WAVE'), riff('AVI '), riff('WEB')]).toEqual([
      'image/webp',
      'audio/wav',
      'application/octet-stream',
      'application/octet-stream',
    ])
    expect(detect(Uint8Array.of(0xff, 0xd8, 0xff))).toBe('application/octet-stream')
    expect(compatible('application/java-archive', 'application/zip')).toBe(true)
    expect(compatible('application/zip', 'application/epub+zip')).toBe(false)
  })
})

describe('names', () => {
  test('[Y215] a long name keeps its end, and never halves a sign', () => {
    const name = cleanName(`${'🧀'.repeat(300)}.tar`)
    expect(name.endsWith('.tar')).toBe(true)
    expect(name.length).toBeLessThanOrEqual(200)
    expect(name.isWellFormed()).toBe(true)
    expect(cleanName(`${'. '.repeat(5_000_00)}x`).length).toBeLessThanOrEqual(200)
  })

  test('[Y215] a header has plain letters only', () => {
    expect(disposition('Käse "a".txt', 'attachment')).toBe(`attachment; filename="K_se _a_.txt"; filename*=UTF-8''K%C3%A4se%20%22a%22.txt`)
  })
})

describe('bytes', () => {
  async function* of(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text)
  }
  const left = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length

  test('[Y210] a disk that becomes full in the middle says so, and leaves nothing', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    for (const when of ['write', 'sync']) {
      const openFile = async (path: string) => {
        const file = await open(path, 'wx')
        return {
          write: (async (...given: Parameters<typeof file.write>) => {
            if (when === 'write') throw full
            return file.write(...given)
          }) as typeof file.write,
          sync: () => Promise.reject(full),
          close: () => file.close(),
        }
      }
      const blobs = await openBlobs({ folder, openFile })
      await expect(blobs.write('a', of('abc'), 100)).rejects.toThrow(DiskFull)
      expect(left()).toBe(0)
    }
  })

  test('[Y210, Y213] too many bytes are cut off at once; a UTF-8 sign may lie in two pieces', async () => {
    const blobs = await openBlobs({ folder })
    let read = 0
    async function* endless() {
      for (;;) {
        read++
        yield new Uint8Array(10)
      }
    }
    await expect(blobs.write('a', endless(), 95)).rejects.toThrow(TooLarge)
    expect([read, left()]).toEqual([10, 0])
    async function* halves() {
      yield Uint8Array.of(0xc3)
      yield Uint8Array.of(0xa4)
    }
    const written = await blobs.write('b', halves(), 100)
    expect([written.isText, written.size]).toEqual([true, 2])
    await written.keep()
    expect([await blobs.has(written.sha256), left()]).toEqual([true, 1])
    expect(() => blobs.path('../../etc/passwd')).toThrow()
  })

  test('[Y214] bytes that a restored copy does not know stay, also in later lives of the hub', async () => {
    const own = mkdtempSync(join(tmpdir(), 'steward-blobs-'))
    const nobody = {
      journal: { project: async () => {}, passed: async () => {}, head: () => 0 },
      view: { refers: async () => false, unused: async () => [] },
      clock: { now: () => 0 },
    } as never as Omit<AttachmentRooms, 'folder'>
    const newer = await (await openBlobs({ folder: own })).write('a', of('newer than the copy'), 100)
    await newer.keep()
    await openAttachments({ ...nobody, folder: own, restored: true })
    const blobs = await openBlobs({ folder: own })
    const later = await blobs.write('b', of('a left-over'), 100)
    await later.keep()
    await openAttachments({ ...nobody, folder: own })
    expect([await blobs.has(newer.sha256), await blobs.has(later.sha256)]).toEqual([true, false])
    rmSync(own, { recursive: true, force: true })
  })
})
