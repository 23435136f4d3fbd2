// Reading ZIP files that nobody vouches for, and writing ours. Reading checks the directory first: names, kinds, counts, sizes; then it
// unpacks and counts what really comes.
//
// Y175  A hostile archive is refused whole, with the file and the reason, and nothing of it was written anywhere.
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { ZipFile as ZipWriter } from 'yazl'
import { messageOf } from '../../base/errors.ts'
import { type ImportLimits, ImportRefused, importLimits } from './limits.ts'
import { checkedName, namesSeen } from './names.ts'

/** Bytes by path, in the order of the archive. */
export type Files = ReadonlyMap<string, Uint8Array>

/** Throws ImportRefused. */
export async function readZip(bytes: Uint8Array, limits: ImportLimits = importLimits): Promise<Files> {
  const zip = await opened(bytes)
  if (zip.entryCount > limits.files) throw new ImportRefused(null, `the archive has ${zip.entryCount} files; allowed are ${limits.files}`)
  const entries = await directoryOf(zip, bytes.length, limits)
  const files = new Map<string, Uint8Array>()
  let total = 0
  for (const [name, entry] of entries) {
    const content = await unpacked(zip, { name, entry, left: Math.min(limits.file, limits.all - total) })
    total += content.length
    files.set(name, content)
  }
  return files
}

async function opened(bytes: Uint8Array): Promise<ZipFile> {
  if (bytes.length === 0) throw new ImportRefused(null, 'the file is empty: a ZIP archive is wanted')
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false, validateEntrySizes: true, autoClose: false })
  } catch (thrown) {
    throw new ImportRefused(null, `this is no ZIP archive that can be read: ${messageOf(thrown)}`)
  }
}

const symbolicLink = 0o120000
const kindMask = 0o170000
const plainFile = 0o100000
/** A smaller file can't do harm by its ratio: of a few spaces much can be made. */
const ratioFrom = 64_000

/** All files that it names. Throws before anything is unpacked. */
async function directoryOf(zip: ZipFile, size: number, limits: ImportLimits): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  const see = namesSeen()
  let [packed, all] = [0, 0]
  for (let count = 1; ; count++) {
    const entry = await nextEntry(zip)
    if (entry === null) break
    if (count > limits.files) throw new ImportRefused(null, `the archive has more than ${limits.files} files`)
    const name = nameOf(entry)
    const file = checkedName(name)
    checkKind(name, entry)
    if (file === null) continue
    see(name)
    checkSize(name, entry, limits)
    packed += entry.compressedSize
    all += entry.uncompressedSize
    if (all > limits.all) throw new ImportRefused(name, `unpacked, the files have more than ${limits.all} bytes in all`)
    if (packed > size) throw new ImportRefused(name, 'its files overlap: together they are larger than the archive')
    entries.set(name, entry)
  }
  if (entries.size === 0) throw new ImportRefused(null, 'the archive holds no files')
  return entries
}

function nextEntry(zip: ZipFile): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      zip.removeAllListeners()
      act()
    }
    zip.once('entry', (entry: Entry) => done(() => resolve(entry)))
    zip.once('end', () => done(() => resolve(null)))
    zip.once('error', (error: Error) => done(() => reject(new ImportRefused(null, `the archive is damaged: ${error.message}`))))
    zip.readEntry()
  })
}

/** UTF-8, whether or not the archive says so: ASCII is the same in both. */
function nameOf({ fileNameRaw }: Entry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fileNameRaw)
  } catch {
    throw new ImportRefused(Buffer.from(fileNameRaw).toString('latin1'), 'its name is not UTF-8')
  }
}

function checkKind(name: string, entry: Entry): void {
  const kind = (entry.externalFileAttributes >>> 16) & kindMask
  if (kind === symbolicLink) throw new ImportRefused(name, 'symbolic links are not allowed')
  if (kind !== 0 && kind !== plainFile && !name.endsWith('/')) throw new ImportRefused(name, 'only plain files are allowed')
  if (entry.isEncrypted()) throw new ImportRefused(name, 'encrypted files are not allowed')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw new ImportRefused(name, `the compression method ${entry.compressionMethod} is not known; allowed are stored and deflate`)
  }
}

function checkSize(name: string, { uncompressedSize, compressedSize }: Entry, limits: ImportLimits): void {
  if (uncompressedSize > limits.file) throw new ImportRefused(name, `it has ${uncompressedSize} bytes; allowed are ${limits.file}`)
  if (uncompressedSize > ratioFrom && uncompressedSize > compressedSize * limits.ratio) {
    throw new ImportRefused(name, `it would grow more than ${limits.ratio} times when unpacked`)
  }
}

type Unpacking = { readonly name: string; readonly entry: Entry; readonly left: number }

async function unpacked(zip: ZipFile, { name, entry, left }: Unpacking): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream) {
      const part = Buffer.from(chunk)
      size += part.length
      if (size > left) throw new ImportRefused(name, 'it is larger than it says')
      chunks.push(part)
    }
  } catch (thrown) {
    throw thrown instanceof ImportRefused ? thrown : new ImportRefused(name, `it can't be unpacked: ${messageOf(thrown)}`)
  }
  return Buffer.concat(chunks)
}

/** The bytes of an archive with these files. The same files at the same time give the same bytes. */
export async function writeZip(files: Files, at: number): Promise<Uint8Array> {
  const zip = new ZipWriter()
  const mtime = new Date(at)
  for (const [name, content] of files) zip.addBuffer(Buffer.from(content), name, { mtime, mode: 0o100644 })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
