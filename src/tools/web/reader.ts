// The reader's own thread: takes a page, answers its text. Ended from outside when a page costs too much time or memory (readable.ts).
import { parentPort } from 'node:worker_threads'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { isHidden, type Link, MarkdownPage, type PageNode } from './markdown.ts'

export type Reading = { readonly html: string; readonly url: string; readonly whole: boolean; readonly most: number }
export type Read = { readonly title: string; readonly text: string; readonly links: readonly Link[]; readonly isCut: boolean }

/** An article shorter than this part of its page is no article: the page is a list, a table, a form. */
const leastArticle = 0.2
const mostElements = 60_000

parentPort?.on('message', (reading: Reading) => parentPort?.postMessage(read(reading)))

function read(reading: Reading): Read {
  const { document } = parseHTML(wrapped(reading.html))
  const title = (document.querySelector('title')?.textContent ?? '').trim()
  const page = draw(document.body, reading)
  if (reading.whole) return { ...page, title }
  const article = articleOf(reading)
  return article !== null && article.text.length >= page.text.length * leastArticle ? article : { ...page, title }
}

/** null when there is none, or finding it is too much. */
function articleOf(reading: Reading): Read | null {
  const { document } = parseHTML(wrapped(reading.html))
  // Before styles are taken away, by which it is known.
  for (const one of document.querySelectorAll('[style], [hidden], [aria-hidden]')) if (isHidden(one)) one.remove()
  try {
    const found = new Readability<PageNode>(document, { maxElemsToParse: mostElements, serializer: (node) => node }).parse()
    if (!found?.content) return null
    return { ...draw(found.content, reading), title: (found.title ?? '').trim() }
  } catch {
    return null
  }
}

function draw(node: PageNode, { url, most }: Reading): Omit<Read, 'title'> {
  const page = new MarkdownPage(url, most)
  const text = page.text(node)
  return { text, links: page.links, isCut: page.isFull }
}

/** A page without its frame would have no body here. */
function wrapped(html: string): string {
  return /<body[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`
}
