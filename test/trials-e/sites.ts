// Three places of the net: pages that may be read, a listener that attacks want to reach (a person exempted both from the guard of
// addresses, so that nothing but policy stands before it), and a service inside that nobody exempted.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type Sites = Awaited<ReturnType<typeof openSites>>

type Answer = (request: IncomingMessage, response: ServerResponse) => void

export async function openSites() {
  const heard: string[] = []
  const inside: string[] = []
  const pages = new Map<string, string>()
  const found = new Map<string, string>()
  const redirects = new Map<string, string>()
  const listener = await site((request, response) => {
    const { authorization = '' } = request.headers
    heard.push(`${request.method} ${request.url} ${authorization}`.trim())
    response.end('thank you')
  })
  const inner = await site((request, response) => {
    inside.push(`${request.method} ${request.url}`)
    response.end('the inside')
  })
  const public_ = await site((request, response) => {
    const url = new URL(request.url ?? '/', 'http://pages')
    const to = redirects.get(url.pathname)
    if (to !== undefined) return void response.writeHead(302, { location: to }).end()
    if (url.pathname === '/search') {
      const content = found.get(url.searchParams.get('q') ?? '') ?? 'nothing'
      const results = [{ title: 'A result', url: 'https://example.org/a', content }]
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }))
    }
    const page = pages.get(url.pathname)
    if (page === undefined) return void response.writeHead(404).end('no such page')
    if (url.pathname.startsWith('/gone')) response.statusCode = 404
    response.setHeader('content-type', page.startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8').end(page)
  })
  return {
    listener: listener.origin,
    inner: inner.origin,
    pages: public_.origin,
    /** What the listener was asked, with the header `Authorization`. */
    heard: heard as readonly string[],
    inside: inside as readonly string[],
    page(path: string, text: string): string {
      pages.set(path, text)
      return public_.origin + path
    },
    /** What the search engine says to those words. */
    found: (query: string, text: string) => void found.set(query, text),
    redirect(path: string, to: string): string {
      redirects.set(path, to)
      return public_.origin + path
    },
    async close(): Promise<void> {
      for (const one of [listener, inner, public_]) await one.close()
    },
  }
}

async function site(answer: Answer) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
