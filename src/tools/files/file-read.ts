// The text of a file, by lines.
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { defineTool, done, type Outcome, refused, type Tool } from '../tool.ts'
import { findPlace, lookAt, movedSince, openPlace, type Place, realView } from './place.ts'

const mostLines = 2000
const longestLine = 2000
const mostCharacters = 60_000
/** So much of a file is passed over to reach a line. */
const mostBytes = 256 * 1024 * 1024

export const fileRead: Tool = defineTool({
  name: 'file_read',
  description:
    'Reads lines of a text file of the project, with their numbers. For a long file name the first line and how many; the answer ' +
    'says how to go on. Binary files are named, not shown.',
  labels: ['read-only', 'files'],
  capability: 'fs.read',
  effect: 'replayable',
  needsRoots: true,
  taint: 'content',
  outputLimit: mostCharacters + 5000,
  input: z.strictObject({
    path: z.string().describe('Relative to the project folder'),
    from: z.int().min(1).default(1).describe('First line, from 1'),
    lines: z.int().min(1).max(mostLines).default(500).describe('How many lines'),
  }),
  plan: ({ path }, context) => lookAt(path, context),
  async run({ path, from, lines }, context) {
    const place = await findPlace(path, context)
    if (!('real' in place)) return refused(place.code, place.why)
    const moved = movedSince(place, context.binding)
    if (moved) return refused(moved.code, moved.why)
    if (place.kind === 'folder') return refused('invalid', `"${place.shown}" is a folder; file_list shows what is in it.`)
    const file = await openPlace(place, await realView(context))
    if ('why' in file) return refused(file.code, file.why)
    try {
      return await read(file, place, { from, lines, signal: context.signal })
    } finally {
      await file.close()
    }
  },
})

type Wanted = { readonly from: number; readonly lines: number; readonly signal: AbortSignal }

async function read(file: FileHandle, place: Place, wanted: Wanted): Promise<Outcome> {
  const start = await startOf(file)
  const kind = binaryKind(start)
  if (kind) return done(`${place.shown} is a binary file (${kind}) of ${place.size} bytes; it is not shown as text.`)
  const taken = await takeLines(file, wanted)
  const { lines, ended, isLast, isInvalid, isCut, hasMissed } = taken
  if (hasMissed)
    return refused(
      'too_large',
      `Line ${wanted.from} of ${place.shown} lies behind the first ${mostBytes} bytes, which is as far as is read.`,
    )
  if (lines.length === 0) {
    const has = ended === 0 ? 'is empty' : `has only ${ended} lines`
    return ended === 0 && wanted.from === 1
      ? done(`${place.shown} ${has}.`)
      : refused('invalid', `${place.shown} ${has}; there is no line ${wanted.from}.`)
  }
  const end = wanted.from + lines.length - 1
  const notes = [
    isLast ? '' : `more follows: from=${end + 1}`,
    isCut ? `lines are cut at ${longestLine} characters` : '',
    isInvalid ? 'bytes that are no UTF-8 are shown as \ufffd' : '',
  ].filter((text) => text !== '')
  const head = `${place.shown}, lines ${wanted.from} to ${end}${isLast ? ` of ${end}` : ''}`
  const text = [head, ...lines.map((line, at) => `${wanted.from + at}\t${line}`), ...notes.map((note) => `[${note}]`)].join('\n')
  return done(text, { read: [place.real] })
}

async function startOf(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0)
  return buffer.subarray(0, bytesRead)
}

type Taken = {
  lines: string[]
  /** Lines seen in all. */
  ended: number
  isLast: boolean
  isInvalid: boolean
  isCut: boolean
  hasMissed: boolean
}

/** Reads on from the start until the wanted lines are there; holds no more than one line and the wanted ones. */
async function takeLines(file: FileHandle, { from, lines, signal }: Wanted): Promise<Taken> {
  const taken: Taken = { lines: [], ended: 0, isLast: true, isInvalid: false, isCut: false, hasMissed: false }
  const line = new LineBytes()
  let characters = 0
  const finish = () => {
    taken.ended++
    if (taken.ended >= from) {
      const text = line.text(taken)
      characters += text.length
      taken.lines.push(text)
    }
    line.clear()
  }
  const buffer = Buffer.alloc(65_536)
  for (let position = 0; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) break
    position += bytesRead
    for (let at = 0; at < bytesRead; ) {
      if (taken.lines.length >= lines || characters >= mostCharacters) return { ...taken, isLast: false }
      const end = buffer.indexOf(10, at)
      const stop = end < 0 || end >= bytesRead ? bytesRead : end
      line.add(buffer.subarray(at, stop))
      if (stop < bytesRead) finish()
      at = stop + 1
    }
    if (position >= mostBytes) return { ...taken, isLast: false, hasMissed: taken.lines.length === 0 }
  }
  if (line.has) finish()
  return taken
}

/** The bytes of one line; of a very long one only its beginning is kept. */
class LineBytes {
  private parts: Buffer[] = []
  private size = 0
  private isOver = false

  get has(): boolean {
    return this.size > 0
  }

  add(bytes: Uint8Array): void {
    const room = longestLine * 4 - this.size
    // Copied: the buffer it lies in is filled again.
    if (bytes.length > 0 && room > 0) this.parts.push(Buffer.from(bytes.subarray(0, room)))
    if (bytes.length > room) this.isOver = true
    this.size += Math.min(bytes.length, Math.max(0, room))
  }

  text(taken: { isInvalid: boolean; isCut: boolean }): string {
    const decoded = new TextDecoder('utf-8', { ignoreBOM: false }).decode(Buffer.concat(this.parts)).replace(/\r$/, '')
    const isLong = this.isOver || decoded.length > longestLine
    if (isLong) taken.isCut = true
    const text = isLong ? decoded.slice(0, longestLine).toWellFormed() : decoded
    if (text.includes('\ufffd')) taken.isInvalid = true
    return text
  }

  clear(): void {
    this.parts = []
    this.size = 0
    this.isOver = false
  }
}

const signatures: readonly (readonly [string, readonly number[]])[] = [
  ['PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['JPEG image', [0xff, 0xd8, 0xff]],
  ['GIF image', [0x47, 0x49, 0x46, 0x38]],
  ['PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['ZIP archive or office document', [0x50, 0x4b, 0x03, 0x04]],
  ['gzip archive', [0x1f, 0x8b]],
  ['ELF program', [0x7f, 0x45, 0x4c, 0x46]],
  ['SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
  ['UTF-16 text', [0xff, 0xfe]],
  ['UTF-16 text', [0xfe, 0xff]],
]

/** What it is by its first bytes; null for text. Text holds no NUL. */
export function binaryKind(start: Uint8Array): string | null {
  const known = signatures.find(([, bytes]) => bytes.every((byte, at) => start[at] === byte))
  if (known) return known[0]
  return start.includes(0) ? 'unknown kind' : null
}
