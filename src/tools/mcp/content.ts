// What a tool answered, bounded: text, a structured value, a few images; the rest is named (Y104).
import { isObject, type Json } from '../../base/json.ts'
import { oneLine } from '../fence.ts'
import type { McpAnswer } from './server.ts'

export const answerLimits = {
  text: 400_000,
  structured: 1_000_000,
  depth: 64,
  images: 4,
  imageCharacters: 1_000_000,
  blocks: 1_000,
} as const

type Given = { readonly content?: unknown; readonly contents?: unknown; readonly structuredContent?: unknown; readonly isError?: unknown }

export function contentIn(given: Given): McpAnswer {
  const blocks = [given.content, given.contents].flatMap((one) => (Array.isArray(one) ? one : [])).filter(isObject)
  const images: { mime: string; data: string }[] = []
  let left = answerLimits.imageCharacters
  const texts = blocks.slice(0, answerLimits.blocks).map((block) => {
    const image = imageIn(block)
    if (image === null) return textIn(block)
    if (images.length >= answerLimits.images || image.data.length > left) return `[an image (${image.mime}) that is too large to be kept]`
    left -= image.data.length
    images.push(image)
    return `[an image (${image.mime})]`
  })
  if (blocks.length > answerLimits.blocks) texts.push(`[${blocks.length - answerLimits.blocks} more parts were left out]`)
  const { value, note } = structuredIn(given.structuredContent)
  const text = cut([...texts, ...(note === null ? [] : [note])].filter((one) => one !== '').join('\n'))
  return { ok: true, isError: given.isError === true, text, structured: value, images }
}

type Block = { readonly [key: string]: unknown }

function imageIn({ type, data, mimeType }: Block): { readonly mime: string; readonly data: string } | null {
  if (type !== 'image' || typeof data !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(data)) return null
  return { mime: oneLine(String(mimeType ?? 'image'), 60), data }
}

function textIn(block: Block): string {
  const { type, text, resource, uri, name, mimeType } = block
  if (typeof text === 'string') return text
  if (type === 'resource' && isObject(resource))
    return typeof resource['text'] === 'string' ? resource['text'] : `[a file: ${oneLine(String(resource['uri'] ?? ''))}]`
  if (type === 'resource_link') return `[a resource: ${oneLine(String(name ?? ''), 100)} ${oneLine(String(uri ?? ''))}]`
  return `[a part of the kind ${oneLine(String(type ?? mimeType ?? 'unknown'), 60)}, which is not shown]`
}

function structuredIn(given: unknown): { readonly value: Json; readonly note: string | null } {
  if (given === undefined || given === null) return { value: null, note: null }
  if (isDeep(given)) return { value: null, note: '[its structured part is nested too deep and was left out]' }
  const text = JSON.stringify(given)
  if (text.length > answerLimits.structured) return { value: null, note: '[its structured part is too long and was left out]' }
  return { value: JSON.parse(text), note: null }
}

/** Without recursion. */
function isDeep(root: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.depth > answerLimits.depth) return true
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const value of Object.values(next.value)) open.push({ value, depth: next.depth + 1 })
  }
  return false
}

function cut(text: string): string {
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd')
  if (whole.length <= answerLimits.text) return whole
  return `${whole.slice(0, answerLimits.text).toWellFormed()}\n[only the first ${answerLimits.text} of ${whole.length} characters are kept]`
}
