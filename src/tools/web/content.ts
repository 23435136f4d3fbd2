// What the bytes of an answer are: text in some charset, a page, or something that is only named (T43).
import { binaryKind } from '../files/file-read.ts'
import type { Answered } from './request.ts'

export type Content =
  | { readonly kind: 'html' | 'text'; readonly type: string; readonly text: string; readonly note: string | null }
  | { readonly kind: 'other'; readonly type: string; readonly size: number }

/** Never throws: an unknown charset is read as UTF-8, and that is said. */
export function contentOf({ headers, body }: Answered): Content {
  const header = headers['content-type'] ?? ''
  const type = (header.split(';')[0] ?? '').trim().toLowerCase() || sniffed(body)
  const found = binaryKind(body.subarray(0, 8192))
  const isWide = /^(UTF-16)/.test(found ?? '')
  if (!isTextual(type) || (found !== null && !isWide)) return { kind: 'other', type: found ?? (type || 'unknown kind'), size: body.length }
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type)
  const named = byteOrder(body) ?? charsetOf(header) ?? (isHtml ? metaCharset(body) : null) ?? 'utf-8'
  const { text, note } = decode(body, named)
  return { kind: isHtml ? 'html' : 'text', type, text, note }
}

function isTextual(type: string): boolean {
  return /^text\/|[/+](json|xml|yaml|x-yaml|toml)$|^application\/(javascript|ecmascript|x-ndjson|ld\+json|xhtml\+xml|graphql|sql|rtf)$/.test(
    type,
  )
}

/** For an answer that doesn't say what it is. */
function sniffed(body: Buffer): string {
  if (binaryKind(body.subarray(0, 8192)) !== null) return ''
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(body.subarray(0, 512).toString('latin1')) ? 'text/html' : 'text/plain'
}

function byteOrder(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return null
}

function charsetOf(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(text)?.[1] ?? null
}

/** As pages say it in their first bytes. */
function metaCharset(body: Buffer): string | null {
  const metas =
    body
      .subarray(0, 2048)
      .toString('latin1')
      .match(/<meta[^>]{0,300}>/gi) ?? []
  return metas.map(charsetOf).find((one) => one !== null) ?? null
}

function decode(body: Buffer, charset: string): { readonly text: string; readonly note: string | null } {
  try {
    return { text: new TextDecoder(charset).decode(body), note: null }
  } catch {
    return { text: new TextDecoder().decode(body), note: `its charset "${charset}" is not known; it was read as UTF-8` }
  }
}
