// Archives made byte by byte, for tests of what no ordinary program writes.
import { crc32, deflateRawSync } from 'node:zlib'

export type ByHand = {
  readonly name: string
  readonly content: Uint8Array
  /** Instead of `name`, as bytes. */
  readonly rawName?: Uint8Array
  readonly mode?: number
  readonly flags?: number
  readonly method?: number
  readonly declaredSize?: number
}

export function byHand(entries: readonly ByHand[], more: { readonly count?: number } = {}): Uint8Array {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const local = localOf(entry)
    locals.push(local)
    directory.push(centralOf(entry, offset))
    offset += local.length
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([...locals, central, endOf({ count: more.count ?? entries.length, size: central.length, offset })])
}

function partsOf({ name, rawName, content, flags = 0x800, method = 8, declaredSize = content.length }: ByHand) {
  const data = method === 8 ? deflateRawSync(content) : Buffer.from(content)
  return { name: Buffer.from(rawName ?? Buffer.from(name)), data, flags, method, size: declaredSize, crc: crc32(content) }
}

function localOf(entry: ByHand): Buffer {
  const { name, data, flags, method, size, crc } = partsOf(entry)
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(flags, 6)
  head.writeUInt16LE(method, 8)
  head.writeUInt32LE(crc, 14)
  head.writeUInt32LE(data.length, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, name, data])
}

function centralOf(entry: ByHand, offset: number): Buffer {
  const { name, data, flags, method, size, crc } = partsOf(entry)
  const head = Buffer.alloc(46)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(0x0314, 4)
  head.writeUInt16LE(20, 6)
  head.writeUInt16LE(flags, 8)
  head.writeUInt16LE(method, 10)
  head.writeUInt32LE(crc, 16)
  head.writeUInt32LE(data.length, 20)
  head.writeUInt32LE(size, 24)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
  head.writeUInt32LE(offset, 42)
  return Buffer.concat([head, name])
}

function endOf({ count, size, offset }: { readonly count: number; readonly size: number; readonly offset: number }): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
