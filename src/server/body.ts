// Reading a request's JSON: bounded, real UTF-8, not too deep, no text that a store would change, no `__proto__`.
import { InvalidInput, StewardError } from '../base/errors.ts'
import { HttpProblem } from './problem.ts'

export const maxDepth = 64

/** The parsed body; undefined when there is none. Throws InvalidInput, or HttpProblem 413 or 415. */
export async function readBody(request: Request, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, limitBytes).catch((thrown: unknown) => {
    throw thrown instanceof StewardError ? thrown : new InvalidInput('the body broke off', { cause: thrown })
  })
  if (bytes.byteLength === 0) return undefined
  checkEncoding(request.headers.get('content-encoding'))
  checkType(request.headers.get('content-type'))
  return parseBody(bytes)
}

/** JSON as by `readBody`; any other type is text in UTF-8, given as a string. */
export async function readWords(request: Request, limitBytes: number): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return readBody(request, limitBytes)
  const bytes = await readBytes(request, limitBytes).catch((thrown: unknown) => {
    throw thrown instanceof StewardError ? thrown : new InvalidInput('the body broke off', { cause: thrown })
  })
  if (bytes.byteLength === 0) return undefined
  checkEncoding(request.headers.get('content-encoding'))
  const text = decode(bytes)
  checkText(text, '')
  return text
}

/** The bytes of the body, whatever they are. Throws InvalidInput for none, or HttpProblem 413 or 415. */
export async function readFile(request: Request, limitBytes: number): Promise<Uint8Array> {
  const bytes = await readBytes(request, limitBytes).catch((thrown: unknown) => {
    throw thrown instanceof StewardError ? thrown : new InvalidInput('the body broke off', { cause: thrown })
  })
  checkEncoding(request.headers.get('content-encoding'))
  if (bytes.byteLength === 0) throw new InvalidInput('the body is empty: the bytes of a file are wanted')
  return bytes
}

/** The bytes of the body as they come. Throws InvalidInput for none, HttpProblem 413 for what announces more than `limitBytes`, or 415. */
export function streamOf(request: Request, limitBytes: number): ReadableStream<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes)
  checkEncoding(request.headers.get('content-encoding'))
  if (request.body) return request.body
  throw new InvalidInput('the body is empty: the bytes of a file are wanted')
}

/** Bytes of UTF-8 JSON to a value. Throws InvalidInput with a JSON pointer where there is one. */
export function parseBody(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  if (tooDeep(text)) throw new InvalidInput(`the JSON is nested deeper than ${maxDepth} levels`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidInput('the body is not valid JSON')
  }
  checkTexts(value)
  return value
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limitBytes) throw tooLarge(limitBytes)
  if (announced > 0) return checkSize(new Uint8Array(await request.arrayBuffer()), limitBytes)
  if (!request.body) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > limitBytes) throw tooLarge(limitBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function checkSize(bytes: Uint8Array, limitBytes: number): Uint8Array {
  if (bytes.byteLength > limitBytes) throw tooLarge(limitBytes)
  return bytes
}

function tooLarge(limitBytes: number): HttpProblem {
  return new HttpProblem(413, 'too_large', `the body is larger than ${limitBytes} bytes`, { headers: { Connection: 'close' } })
}

function checkEncoding(header: string | null): void {
  if (header === null || header.trim().toLowerCase() === 'identity') return
  throw new HttpProblem(415, 'wrong_content_encoding', 'the body must be sent as it is, without a Content-Encoding')
}

/** application/json, with UTF-8 as its only charset. */
function checkType(header: string | null): void {
  const [type, ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((part) => part.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  const isJson = type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')
  if (isJson) return
  throw new HttpProblem(415, 'wrong_content_type', 'the body must be application/json in UTF-8')
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InvalidInput('the body is not valid UTF-8')
  }
}

/** Counts brackets outside of strings, so that nothing recursive ever sees a deep value. */
function tooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (inString) {
      if (c === 92) i++
      else if (c === 34) inString = false
    } else if (c === 34) inString = true
    else if (c === 91 || c === 123) {
      if (++depth > maxDepth) return true
    } else if (c === 93 || c === 125) depth--
  }
  return false
}

/** Refuses what would come back changed from a store: halves of surrogate pairs and NUL; and keys named `__proto__`. */
function checkTexts(value: unknown, pointer = ''): void {
  if (typeof value === 'string') checkText(value, pointer)
  else if (Array.isArray(value))
    value.forEach((member, i) => {
      checkTexts(member, `${pointer}/${i}`)
    })
  else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      checkText(key, pointer)
      if (key === '__proto__') throw new InvalidInput('a field may not be named __proto__', { path: `${pointer}/__proto__` })
      checkTexts(member, `${pointer}/${pointerPart(key)}`)
    }
  }
}

export function checkText(text: string, path: string): void {
  if (!text.isWellFormed()) throw new InvalidInput('the text has half of a surrogate pair (\\ud800 to \\udfff alone)', { path })
  if (text.includes('\0')) throw new InvalidInput('the text has a NUL character (\\u0000)', { path })
}

/** A key as a part of a JSON pointer (RFC 6901). */
export function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
