// The link against a real WebSocket server on a real socket of the system, which comes and goes.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Link, LinkLost, openLink } from './chat-link.ts'

type Heard = { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }
type Peer = { readonly heard: Heard[]; readonly sockets: Set<WebSocket>; readonly close: () => Promise<void> }

let folder: string
let link: Link | null
let peer: Peer | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-link-'))
  link = null
  peer = null
})
afterEach(async () => {
  link?.close()
  await peer?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Answers as `answer` says; null: not at all. */
function listen(answer: (frame: Heard) => object | null): Promise<Peer> {
  const server: Server = createServer()
  const sockets = new WebSocketServer({ server })
  const heard: Heard[] = []
  sockets.on('connection', (socket) => {
    socket.on('message', (bytes) => {
      const frame: Heard = JSON.parse(bytes.toString())
      heard.push(frame)
      const given = answer(frame)
      if (given !== null) socket.send(JSON.stringify({ replyTo: frame.id, type: frame.type, data: {}, ...given }))
    })
  })
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close(() => server.close(() => resolve()))
    })
  return new Promise((resolve) => server.listen(join(folder, 's'), () => resolve({ heard, sockets: sockets.clients, close })))
}

function connect(hear: { onOpen?: () => void; onLost?: (tries: number) => void; onFrame?: (type: string) => void } = {}): Link {
  return openLink({
    socketPath: () => join(folder, 's'),
    onFrame: (frame) => hear.onFrame?.(frame.type),
    onOpen: hear.onOpen ?? (() => {}),
    onLost: hear.onLost ?? (() => {}),
  })
}

test('[C10] a request gets its own answer, and a refusal is thrown with the sentence of the hub', async () => {
  peer = await listen((frame) =>
    frame.data.n === 2 ? { type: 'error', data: { status: 409, code: 'conflict', detail: 'Known.' } } : { data: { n: frame.data.n } },
  )
  const open = Promise.withResolvers<void>()
  link = connect({ onOpen: open.resolve })
  await open.promise
  const [one, two] = await Promise.allSettled([link.request('say', { n: 1 }), link.request('say', { n: 2 })])
  expect(one).toEqual({ status: 'fulfilled', value: { n: 1 } })
  expect(two).toMatchObject({ reason: { message: 'Known.', code: 'conflict', status: 409 } })
})

test('[C10] what was said while the hub was away is said when it is back, once, with the same id', async () => {
  const lost = Promise.withResolvers<void>()
  link = connect({ onLost: () => lost.resolve() })
  await lost.promise
  const said = link.request('say', { id: 'cli-1', text: 'hi' })
  peer = await listen(() => ({ data: { ok: true } }))
  expect(await said).toEqual({ ok: true })
  expect(peer.heard.map((frame) => frame.data.id)).toEqual(['cli-1'])
})

test('[C10] a line that was not acknowledged is said again after the hub died', async () => {
  const reached = Promise.withResolvers<void>()
  peer = await listen(() => {
    reached.resolve()
    return null
  })
  const open = Promise.withResolvers<void>()
  link = connect({ onOpen: open.resolve })
  await open.promise
  const said = link.request('say', { id: 'cli-1', text: 'hi' })
  await reached.promise
  await peer.close()
  peer = await listen(() => ({ data: { duplicate: true } }))
  expect(await said).toEqual({ duplicate: true })
  expect(peer.heard.map((frame) => frame.data.id)).toEqual(['cli-1'])
})

test('[C10] what cannot be repeated is told as lost', async () => {
  const reached = Promise.withResolvers<void>()
  peer = await listen(() => {
    reached.resolve()
    return null
  })
  const open = Promise.withResolvers<void>()
  link = connect({ onOpen: open.resolve })
  await open.promise
  const made = link.request('session-create', {})
  made.catch(() => {})
  await reached.promise
  await peer.close()
  peer = null
  await expect(made).rejects.toThrow(LinkLost)
})

test('[C10] frames that answer nothing are heard, broken ones are not', async () => {
  const heard: string[] = []
  const done = Promise.withResolvers<void>()
  peer = await listen(() => null)
  link = connect({
    onOpen() {
      for (const socket of peer?.sockets ?? []) {
        for (const text of ['{', '[]', '7', '{"type":1}', '{"type":"a","data":{}}', '{"type":"b","data":{}}']) socket.send(text)
      }
    },
    onFrame(type) {
      heard.push(type)
      if (type === 'b') done.resolve()
    },
  })
  await done.promise
  expect(heard).toEqual(['a', 'b'])
})
