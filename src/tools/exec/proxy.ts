// The one way out of a sandbox that was given the network: a proxy of the hub, on a socket that only this command has. It leads to
// public addresses, by the same guard as pages are fetched by, and remembers where it led.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { findTarget, parseUrl, portOf, type Reach, type Target } from '../web/target.ts'

export type Proxy = {
  /** Origins that were reached, each once. */
  readonly reached: ReadonlySet<string>
  close(): Promise<void>
}

/** `dial`: where an address that was checked is reached; for tests. Default: there. */
export type WayOut = Reach & { readonly dial?: (at: Far) => Far }
type Far = { readonly host: string; readonly port: number }

const mostReached = 200
const connectMs = 20_000
const idleMs = 120_000

/** Listens on the socket when it resolves. */
export async function openProxy(socket: string, reach: WayOut): Promise<Proxy> {
  const dial = reach.dial ?? ((at: Far) => at)
  const farOf = ({ url, addresses }: Target) => dial({ host: addresses[0] ?? '', port: portOf(url) })
  const reached = new Set<string>()
  const open = new Set<Duplex>()
  const held = <T extends Duplex>(one: T): T => {
    open.add(one)
    one.on('close', () => open.delete(one))
    one.on('error', () => one.destroy())
    return one
  }
  const found = async (url: string) => {
    const parsed = parseUrl(url)
    if ('why' in parsed) return parsed
    const target = await findTarget(parsed, reach, { exempt: false })
    if ('url' in target && reached.size < mostReached) reached.add(target.url.origin)
    return target
  }
  const server = createServer((asked, answer) => {
    // A plain request; what is encrypted comes as CONNECT.
    found(asked.url ?? '').then(
      (target) => ('why' in target ? refuse(answer, target.why) : forward(asked, answer, { url: target.url, far: farOf(target) })),
      () => refuse(answer, 'It could not be found out where this leads.'),
    )
  })
  server.on('connect', (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    held(client)
    found(`https://${asked.url ?? ''}/`).then(
      (target) => {
        if ('why' in target) return void client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${target.why}\n`)
        tunnel(client, head, held(connect({ ...farOf(target), timeout: connectMs })))
      },
      () => client.destroy(),
    )
  })
  server.on('connection', (client: Socket) => held(client))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  return {
    reached,
    async close() {
      for (const one of open) one.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function tunnel(client: Duplex, head: Buffer, far: Socket): void {
  far.once('connect', () => {
    far.setTimeout(idleMs)
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    far.write(head)
    client.pipe(far).pipe(client)
  })
  far.on('timeout', () => far.destroy())
  far.on('close', () => client.destroy())
  client.on('close', () => far.destroy())
}

/** To the address that was checked, under the name that was asked for. */
function forward(asked: IncomingMessage, answer: ServerResponse, { url, far: at }: { url: URL; far: Far }): void {
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = asked.headers
  const options = {
    ...at,
    method: asked.method,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host },
    timeout: idleMs,
  }
  const far = request(options, (said) => {
    answer.writeHead(said.statusCode ?? 502, said.headers)
    said.pipe(answer)
  })
  far.on('timeout', () => far.destroy())
  far.on('error', () => (answer.headersSent ? answer.destroy() : refuse(answer, 'There is no answer from there.', 502)))
  answer.on('close', () => far.destroy())
  asked.pipe(far)
}

function refuse(answer: ServerResponse, why: string, status = 403): void {
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`)
}
