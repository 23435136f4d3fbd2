// The listener that attacks want to reach: it counts who asks. It serves pages too, apart from what it counts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Listener = {
  readonly origin: string
  /** Requests for anything but what it serves: `GET /seen`. */
  readonly hits: readonly string[]
  /** Answers that path with a text; asking for it is no hit. */
  serve(path: string, text: string, type?: string): string
  close(): Promise<void>
}

export async function openListener(): Promise<Listener> {
  const hits: string[] = []
  const served = new Map<string, { readonly text: string; readonly type: string }>()
  const server = createServer((request, response) => {
    const found = served.get(request.url ?? '')
    if (found) return void response.setHeader('content-type', found.type).end(found.text)
    hits.push(`${request.method} ${request.url}`)
    response.end('thank you')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    hits,
    serve(path, text, type = 'text/plain; charset=utf-8') {
      served.set(path, { text, type })
      return `${origin}${path}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
