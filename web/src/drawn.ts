// Draws the blocks of markup.ts as elements. Closed blocks are kept; while words come in only the last one is drawn again (W9).

import { type Child, el, keep, type Piece } from './dom.ts'
import { icon } from './icons.ts'
import { type Block, readBlocks, readSpans } from './markup.ts'
import { words } from './words.ts'

/** Makes `parent` show that text. */
export function draw(parent: HTMLElement, text: string): void {
  const pieces = readBlocks(text).map((block, index): Piece => {
    return { key: String(index), sign: JSON.stringify(block), make: () => drawBlock(block) }
  })
  keep(parent, pieces)
}

function drawBlock(block: Block): HTMLElement {
  switch (block.kind) {
    case 'paragraph':
      return el('p', { dir: 'auto' }, ...drawSpans(block.text))
    case 'heading':
      return el('h4', { dir: 'auto' }, ...drawSpans(block.text))
    case 'quote':
      return el('blockquote', { dir: 'auto' }, ...drawSpans(block.text))
    case 'list':
      return drawList(block)
    case 'code':
      return drawCode(block)
    case 'table':
      return drawTable(block)
  }
}

function drawList(block: Extract<Block, { kind: 'list' }>): HTMLElement {
  const items = block.items.map((item) => el('li', { dir: 'auto' }, ...drawSpans(item)))
  return block.ordered ? el('ol', { start: block.start }, ...items) : el('ul', {}, ...items)
}

function drawCode(block: Extract<Block, { kind: 'code' }>): HTMLElement {
  const copy = el(
    'button',
    { type: 'button', class: 'quiet small icon-only', 'aria-label': words.copyCode, title: words.copyCode },
    icon('copy'),
  )
  copy.addEventListener('click', () => void navigator.clipboard?.writeText(block.text))
  const code = el('pre', { dir: 'ltr', tabindex: 0 }, el('code', {}, block.text))
  return el('div', { class: 'code' }, el('div', {}, el('span', {}, block.language || words.code), copy), code)
}

function drawTable(block: Extract<Block, { kind: 'table' }>): HTMLElement {
  const head = el('tr', {}, ...block.head.map((cell) => el('th', { scope: 'col', dir: 'auto' }, ...drawSpans(cell))))
  const rows = block.rows.map((row) => el('tr', {}, ...row.map((cell) => el('td', { dir: 'auto' }, ...drawSpans(cell)))))
  const table = el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows))
  return el('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': words.table }, table)
}

function drawSpans(text: string): readonly Child[] {
  return readSpans(text).flatMap((span): Child[] => {
    if (span.kind === 'code') return [el('code', { dir: 'ltr' }, span.text)]
    if (span.kind === 'strong') return [el('strong', {}, span.text)]
    if (span.kind !== 'link') return lines(span.text)
    const link = el('a', { href: span.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, span.text)
    return span.text.includes(span.host) ? [link] : [link, el('span', { class: 'host' }, ` (${span.host})`)]
  })
}

function lines(text: string): Child[] {
  return text.split('\n').flatMap((line, index) => (index === 0 ? [line] : [el('br'), line]))
}
