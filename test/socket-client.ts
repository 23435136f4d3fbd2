// A WebSocket client for tests: what came is kept in order, and what is to come can be waited for.
import { WebSocket } from 'ws'
import type { Frame } from '../src/protocol/frames.ts'

export type Client = {
  readonly frames: Frame[]
  readonly socket: WebSocket
  /** The first frame that fits, also among those that came before. */
  until(fits: (frame: Frame) => boolean): Promise<Frame>
  /** Sends a request and gives its answer. */
  ask(type: string, data?: unknown): Promise<Frame>
  send(text: string): void
  /** Code and reason of its end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  drop(): void
}

/** `headers` of the upgrade. Rejects with the status when it was refused. */
export async function connectTo(address: string, headers: Record<string, string>, query = ''): Promise<Client> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/api/socket${query}`, { headers })
  return clientOf(socket)
}

export async function clientOf(socket: WebSocket): Promise<Client> {
  const frames: Frame[] = []
  let hearers: ((frame: Frame) => void)[] = []
  let count = 0
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    frames.push(frame)
    for (const hear of hearers) hear(frame)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_, response) => reject(new Error(`status ${response.statusCode}`)))
    socket.once('error', reject)
  })
  function until(fits: (frame: Frame) => boolean): Promise<Frame> {
    const present = frames.find(fits)
    if (present) return Promise.resolve(present)
    return new Promise((resolve) => {
      const hear = (frame: Frame) => {
        if (!fits(frame)) return
        hearers = hearers.filter((one) => one !== hear)
        resolve(frame)
      }
      hearers.push(hear)
    })
  }
  return {
    frames,
    socket,
    until,
    ask(type, data = {}) {
      const id = `q${++count}`
      socket.send(JSON.stringify({ id, type, data }))
      return until((frame) => frame.replyTo === id)
    },
    send: (text) => socket.send(text),
    closed,
    drop: () => socket.terminate(),
  }
}
