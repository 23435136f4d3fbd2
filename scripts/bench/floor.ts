/**
 * The floor over HTTP and WebSockets, a process of its own: what the same work costs with nothing of ours in between.
 * `node scripts/bench/floor.ts DATABASE-FILE MODEL-ADDRESS`; prints its address, serves until it is ended.
 *
 *     POST /commits   three durable commits, one after the other
 *     POST /commit    one
 *     POST /turn      a commit, a call of the model (streamed, read to its end), two commits
 *     POST /event     one frame to every WebSocket
 *     GET  /          a small answer
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { openBareStore } from './bare-store.ts'
import { type Client, openClient } from './client.ts'

const [file = '', model = ''] = process.argv.slice(2)
const store = openBareStore(file)
const text = 'x'.repeat(400)
const frame = JSON.stringify({ type: 'session-updated', data: text })
const idle: Client[] = []

const works: Readonly<Record<string, (body: string) => Promise<void>>> = {
  '/': async () => {},
  '/commit': () => store.append(text),
  async '/commits'() {
    for (let i = 0; i < 3; i++) await store.append(text)
  },
  async '/turn'(body) {
    await store.append(text)
    const client = idle.findLast((one) => one.isOpen()) ?? (await openClient(model))
    idle.splice(0, idle.length, ...idle.filter((one) => one !== client && one.isOpen()))
    await client.ask({ method: 'POST', path: '/v1/chat/completions', body })
    idle.push(client)
    for (let i = 0; i < 2; i++) await store.append(text)
  },
  async '/event'() {
    for (const socket of wss.clients) socket.send(frame)
  },
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  await works[request.url ?? '/']?.(Buffer.concat(parts).toString())
  const answer = JSON.stringify({ status: 'settled' })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
}

const server = createServer((request, response) => void serve(request, response))
const wss = new WebSocketServer({ server, perMessageDeflate: false })
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`))
