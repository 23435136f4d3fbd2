// What a document's path may be, and what its name says about its type.
import { InvalidInput } from '../base/errors.ts'
import { hasControl, quote } from './names.ts'

/** Bytes of UTF-8. */
export const largestDocument = 1_048_576

/**
 * Segments with "/" between them: none is empty, hidden (starts with "."), or a backup (ends with "~" or ".tmp"). So no path leaves its
 * folder, and each can be a file on every system. Throws InvalidInput.
 */
export function checkPath(path: unknown): string {
  if (typeof path === 'string' && isPath(path)) return path
  const allowed = 'segments with "/" between them, none empty, none that starts with "." or ends with "~" or ".tmp", at most 512 characters'
  throw new InvalidInput(`The path ${quote(path)} is not possible: allowed are ${allowed}.`, { path: '/path' })
}

export function isPath(path: string): boolean {
  if (path.length > 512 || hasControl(path) || !path.isWellFormed() || /[\\:*?"<>|]/.test(path)) return false
  return path.split('/').every((part) => part !== '' && part.length <= 200 && !/^[.# ]|(~|\.tmp|\.swp| |\.)$/.test(part) && part !== '4913')
}

/** Throws InvalidInput for what is no text of at most 1 MB. */
export function checkText(text: unknown): string {
  if (typeof text !== 'string' || !text.isWellFormed() || text.includes('\0')) {
    throw new InvalidInput('A document is a text without NUL characters.', { path: '/text' })
  }
  const size = Buffer.byteLength(text)
  if (size <= largestDocument) return text
  throw new InvalidInput(`A document holds at most 1 MB (${largestDocument} bytes); this one has ${size}.`, { path: '/text' })
}

export function checkMime(mime: unknown): string {
  if (typeof mime === 'string' && /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/.test(mime)) return mime
  throw new InvalidInput(`${quote(mime)} is no media type like "text/markdown".`, { path: '/mime' })
}

const types: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  json: 'application/json',
  csv: 'text/csv',
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

export function mimeOf(path: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(types, ending) ? (types[ending] ?? 'text/plain') : 'text/plain'
}
