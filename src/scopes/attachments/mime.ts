// What a file is, by its first bytes; what its sender said of it is believed only where it can do no harm (Y211).

/** What is known of no type. */
export const unknownType = 'application/octet-stream'
const zip = 'application/zip'

type Magic = { readonly mime: string; readonly bytes: readonly number[]; readonly at?: number; readonly behind?: readonly number[] }

const riff = [0x52, 0x49, 0x46, 0x46]

/** In the order in which they are looked at. `behind` stands at 8, after a size. */
const magics: readonly Magic[] = [
  { mime: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { mime: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { mime: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38] },
  { mime: 'image/bmp', bytes: [0x42, 0x4d] },
  { mime: 'image/webp', bytes: riff, behind: [0x57, 0x45, 0x42, 0x50] },
  { mime: 'image/tiff', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { mime: 'image/tiff', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { mime: 'application/pdf', bytes: [0x25, 0x50, 0x44, 0x46] },
  { mime: zip, bytes: [0x50, 0x4b, 0x03, 0x04] },
  { mime: 'video/mp4', bytes: [0x66, 0x74, 0x79, 0x70], at: 4 },
  { mime: 'audio/ogg', bytes: [0x4f, 0x67, 0x67, 0x53] },
  { mime: 'audio/flac', bytes: [0x66, 0x4c, 0x61, 0x43] },
  { mime: 'audio/wav', bytes: riff, behind: [0x57, 0x41, 0x56, 0x45] },
  { mime: 'audio/mpeg', bytes: [0x49, 0x44, 0x33] },
  { mime: 'audio/mpeg', bytes: [0xff, 0xfb] },
  { mime: 'audio/mpeg', bytes: [0xff, 0xf3] },
  { mime: 'audio/mpeg', bytes: [0xff, 0xf2] },
]

/** Fewer bytes are never a type. */
const fewest = 4

/** The type by the first bytes; `unknownType` when they are none that is known. */
export function detect(head: Uint8Array): string {
  if (head.length < fewest) return unknownType
  const found = magics.find(({ bytes, at = 0, behind = [] }) => standsAt(head, at, bytes) && standsAt(head, 8, behind))
  return found?.mime ?? unknownType
}

function standsAt(head: Uint8Array, at: number, bytes: readonly number[]): boolean {
  return head.length >= (bytes.length === 0 ? 0 : at + bytes.length) && bytes.every((byte, i) => head[at + i] === byte)
}

/** Without parameters, in small letters; `unknownType` for none. */
export function normalise(given: string | null | undefined): string {
  const type = (given ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' ? unknownType : type
}

const office = 'application/vnd.openxmlformats-officedocument'

/** Types that are packed as ZIP, by the end of a name. */
const packed: Readonly<Record<string, string>> = {
  docx: `${office}.wordprocessingml.document`,
  xlsx: `${office}.spreadsheetml.sheet`,
  pptx: `${office}.presentationml.presentation`,
  jar: 'application/java-archive',
  epub: 'application/epub+zip',
}
const packedTypes: ReadonlySet<string> = new Set([...Object.values(packed), 'application/x-zip-compressed'])

/** Whether what was said of a file and what its bytes are go together. Nothing said, or nothing found, goes with everything. */
export function compatible(declared: string | null | undefined, detected: string | null | undefined): boolean {
  if (declared === null || declared === undefined || detected === null || detected === undefined) return true
  const [said, found] = [normalise(declared), normalise(detected)]
  return said === found || said === unknownType || found === unknownType || (found === zip && packedTypes.has(said))
}

/** Texts that are read as such, by the end of a name. */
const texts: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}
const plain = 'text/plain'
const quietTexts: ReadonlySet<string> = new Set([plain, 'text/tab-separated-values', 'text/calendar', ...Object.values(texts)])

/** What a browser could run, whatever it is called. */
const active = /html|xml|svg|script|ecma|flash|wasm|java(?!-archive)|x-msdownload|multipart|message\//

const shape = /^(?:application|audio|video|image|font|text|model)\/[a-z0-9][a-z0-9.+-]{0,99}$/
const magicTypes: ReadonlySet<string> = new Set(magics.map(({ mime }) => mime))

export type Looked = { readonly head: Uint8Array; readonly isText: boolean; readonly declared: string | null; readonly name: string }

/**
 * The type that a file is kept as. Bytes that are known say it, and what was declared only narrows a ZIP. Other text has the declared
 * type when nothing could run it, else it is plain text. Other bytes have the declared type when it is no text, nothing active, and none
 * whose bytes would have been known.
 */
export function typeOf({ head, isText, declared, name }: Looked): string {
  const detected = detect(head)
  const said = normalise(declared)
  const end = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  // A text may begin like one of the two short marks.
  if (isText && (detected === unknownType || detected === 'image/bmp')) {
    if (quietTexts.has(said)) return said
    return Object.hasOwn(texts, end) && said !== 'text/html' ? (texts[end] ?? plain) : plain
  }
  if (detected === zip) return said !== zip && packedTypes.has(said) && said in named ? said : byEnd(end)
  if (detected !== unknownType) return detected
  const isTrusted = shape.test(said) && !said.startsWith('text/') && !active.test(said) && !magicTypes.has(said)
  return isTrusted && !packedTypes.has(said) ? said : unknownType
}

const named: Readonly<Record<string, true>> = Object.fromEntries(Object.values(packed).map((type) => [type, true]))

function byEnd(end: string): string {
  return Object.hasOwn(packed, end) ? (packed[end] ?? zip) : zip
}

/** Whether a model can be given its words. */
export function isTextType(mime: string): boolean {
  return quietTexts.has(mime)
}

/** Pictures that a page may show. */
const shown: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/bmp'])

export function isShown(mime: string): boolean {
  return shown.has(mime)
}
