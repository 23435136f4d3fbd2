// The web page: files of the build, from memory of the disk's cache, with headers that let it do only what it needs.
import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
}

/** On every answer. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(self)',
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** For everything that is no page: it may do nothing at all, whoever opens it. */
export const nothingPolicy = "default-src 'none'; frame-ancestors 'none'"

/** null when there is no such file. Paths without an extension are views of the page: they get its one document. */
export async function pageFile(root: string | null, path: string, etagKnown: string | null): Promise<Response | null> {
  if (root === null) return null
  const name = extname(path) === '' ? 'index.html' : path.slice(1)
  const bytes = await readInside(root, name)
  if (bytes === null) return null
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const headers = headersOf(name, etag)
  return etagKnown === etag ? new Response(null, { status: 304, headers }) : new Response(Uint8Array.from(bytes), { headers })
}

function headersOf(name: string, etag: string): Record<string, string> {
  const type = types[extname(name)] ?? 'application/octet-stream'
  const isHashed = /^assets\//.test(name)
  return {
    'Content-Type': type,
    'Content-Security-Policy': type.startsWith('text/html') ? pagePolicy : nothingPolicy,
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
  }
}

/** The file's bytes when it really lies below the root, links resolved. */
async function readInside(root: string, name: string): Promise<Buffer | null> {
  if (name.includes('\0') || name.split('/').includes('..')) return null
  try {
    const [base, file] = await Promise.all([realpath(root), realpath(join(root, name))])
    return file.startsWith(base + sep) ? await readFile(file) : null
  } catch {
    return null
  }
}
