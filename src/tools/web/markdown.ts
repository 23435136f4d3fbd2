// A page's elements as Markdown that a model reads well. Runs in the reader's own thread (reader.ts); knows no DOM but the few
// members named here. Links are numbered in the text and listed apart, absolute and only of the web.

export type PageNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<PageNode>
  getAttribute?(name: string): string | null
}

export type Link = { readonly text: string; readonly url: string }

/** Deeper elements are taken as their text. */
const mostDepth = 150
const mostLinks = 200
const elementNode = 1
const textNode = 3

/** Collects what a page says. `base`: of its relative links. */
export class MarkdownPage {
  readonly links: Link[] = []
  private readonly base: string
  private readonly most: number
  private size = 0

  /** `most`: characters after which no more is taken. */
  constructor(base: string, most: number) {
    this.base = base
    this.most = most
  }

  get isFull(): boolean {
    return this.size >= this.most
  }

  text(node: PageNode): string {
    return this.children(node, 0)
      .replace(/[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }

  private children(node: PageNode, depth: number): string {
    if (depth > mostDepth) return flat(node.textContent ?? '')
    let out = ''
    for (const child of node.childNodes) {
      if (this.isFull) break
      out += this.one(child, depth)
    }
    return out
  }

  private one(node: PageNode, depth: number): string {
    if (node.nodeType === textNode) {
      const text = flat(node.textContent ?? '')
      this.size += text.length
      return text
    }
    if (node.nodeType !== elementNode) return ''
    const name = node.nodeName.toLowerCase()
    if (skipped.has(name) || isHidden(node)) return ''
    const form = forms[name]
    if (form) return form(this, node, depth + 1)
    const inner = this.children(node, depth + 1)
    return blocks.has(name) ? `\n\n${inner.trim()}\n\n` : inner
  }

  inside(node: PageNode, depth: number): string {
    return this.children(node, depth)
  }

  verbatim(node: PageNode): string {
    const text = (node.textContent ?? '').replace(/\s+$/, '').replaceAll('```', "'''").slice(0, this.most)
    this.size += text.length
    return `\n\n\`\`\`\n${text}\n\`\`\`\n\n`
  }

  link(node: PageNode, depth: number): string {
    const text = this.children(node, depth).trim()
    const url = absolute(node.getAttribute?.('href') ?? '', this.base)
    if (url === null || text === '') return text
    const known = this.links.findIndex((one) => one.url === url)
    if (known >= 0) return `${text}[${known + 1}]`
    if (this.links.length >= mostLinks) return text
    this.links.push({ text: text.replace(/\s+/g, ' ').slice(0, 120), url })
    return `${text}[${this.links.length}]`
  }
}

type Form = (page: MarkdownPage, node: PageNode, depth: number) => string

const skipped: ReadonlySet<string> = new Set([
  'script', 'style', 'noscript', 'template', 'head', 'svg', 'canvas', 'iframe', 'object', 'embed', 'button', 'input', 'select', 'textarea',
]) // biome-ignore format: one list reads better

const blocks: ReadonlySet<string> = new Set([
  'p', 'div', 'section', 'article', 'main', 'header', 'footer', 'aside', 'nav', 'ul', 'ol', 'dl', 'table', 'figure', 'form', 'details', 'address', 'dt', 'dd',
]) // biome-ignore format: one list reads better

const heading =
  (level: number): Form =>
  (page, node, depth) => {
    const text = page.inside(node, depth).replace(/\s+/g, ' ').trim()
    return text === '' ? '' : `\n\n${'#'.repeat(level)} ${text}\n\n`
  }

const row: Form = (page, node, depth) => {
  const cells = [...node.childNodes].filter((cell) => /^t[dh]$/i.test(cell.nodeName))
  return `\n| ${cells.map((cell) => page.inside(cell, depth).replace(/\s+/g, ' ').trim()).join(' | ')} |`
}

const code: Form = (page, node, depth) => {
  const text = page.inside(node, depth).trim()
  return text === '' ? '' : `\`${text}\``
}

const item: Form = (page, node, depth) => `\n- ${page.inside(node, depth).trim().replace(/\n+/g, '\n  ')}`

const forms: Readonly<Record<string, Form | undefined>> = {
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  li: item,
  tr: row,
  code,
  a: (page, node, depth) => page.link(node, depth),
  br: () => '\n',
  hr: () => '\n\n---\n\n',
  pre: (page, node) => page.verbatim(node),
  blockquote: (page, node, depth) => `\n\n> ${page.inside(node, depth).trim().replace(/\n+/g, '\n> ')}\n\n`,
  img: (_page, node) => {
    const alt = flat(node.getAttribute?.('alt') ?? '').trim()
    return alt === '' ? '' : `(image: ${alt.slice(0, 200)})`
  },
}

/** What a person would not see is not shown to a model either. */
export function isHidden(node: Pick<PageNode, 'getAttribute'>): boolean {
  if (node.getAttribute === undefined) return false
  if (node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(\.0+)?\s*(;|$)/i.test(
    node.getAttribute('style') ?? '',
  )
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ')
}

function absolute(href: string, base: string): string | null {
  if (href === '' || href.startsWith('#') || !URL.canParse(href, base)) return null
  const url = new URL(href, base)
  return /^https?:$/.test(url.protocol) && url.href.length <= 2000 ? url.href : null
}
