// A conversation against a real WebSocket server that tells things in an awkward order.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { openTalk, type Talk } from './chat-talk.ts'

const session = 'ses_1'
const message = (id: string, cursor: string) => ({
  type: 'chat-message-appended',
  cursor,
  session,
  at: '2026-11-30T12:00:00.000Z',
  data: { message: { id, parent: null, role: 'user', actor: 'user:ada', text: id, status: 'settled' } },
})
const status = (cursor: string) => ({ type: 'process-status-changed', cursor, session, data: { status: 'IDLE' } })

let folder: string
let talk: Talk | null
let end: () => Promise<void>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-talk-'))
  talk = null
})
afterEach(async () => {
  talk?.close()
  await end()
  rmSync(folder, { recursive: true, force: true })
})

/** For each resume what is sent before the answer, and in the same breath behind it. */
function listen(resumes: readonly { readonly before: readonly object[]; readonly after: readonly object[] }[]) {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  let count = 0
  sockets.on('connection', (socket) =>
    socket.on('message', (bytes) => {
      const { id, type } = JSON.parse(bytes.toString())
      const told = type === 'session-resume' ? resumes[count++] : undefined
      const answer = { replyTo: id, type, data: { cursor: '1.1' } }
      for (const frame of [...(told?.before ?? []), answer, ...(told?.after ?? [])]) socket.send(JSON.stringify(frame))
    }),
  )
  const drop = () => {
    for (const socket of sockets.clients) socket.terminate()
  }
  end = () =>
    new Promise((resolve) => {
      drop()
      sockets.close(() => server.close(() => resolve()))
    })
  server.listen(join(folder, 's'))
  return { drop }
}

test('[C10] frames that come before the hub tells the session in order hide nothing of what was missed', async () => {
  const { drop } = listen([
    { before: [status('1.9')], after: [message('one', '1.2'), message('two', '1.5')] },
    { before: [status('1.30')], after: [message('three', '1.20')] },
  ])
  const all = Promise.withResolvers<void>()
  talk = openTalk({
    socketPath: () => join(folder, 's'),
    newest: async () => '1.5',
    asks: async () => ({ isHome: false, waiting: [] }),
    onProgress: () => {},
    onView: (view) => view.messages.has('three') && all.resolve(),
    onEntered: () => drop(),
    onLost: () => {},
    onBack: () => {},
  })
  await talk.enter({ session })
  expect([...talk.view.messages.keys()]).toEqual(['one', 'two'])
  await all.promise
  expect([...talk.view.messages.keys()]).toEqual(['one', 'two', 'three'])
  expect(talk.view.cursor).toBe('1.20')
})
