// A light HTTP client: one request at a time over one kept-alive socket, without parsing what is not needed. The load shares its
// cores with the hub, so each request of a ready-made client would be paid twice.

import { connect, type Socket } from 'node:net'

export type Ask = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** `$n` stands for a number that is new for each request. */
  readonly body?: string
}
export type Answer = { readonly status: number; readonly text: string }
export type Client = {
  ask(ask: Ask): Promise<Answer>
  /** False once the other side has ended the connection. */
  readonly isOpen: () => boolean
  close(): void
}

type Waiting = { readonly resolve: (answer: Answer) => void; readonly reject: (why: Error) => void }

/** `address`: http://127.0.0.1:4180. Rejects when the connection ends before the answer is whole. */
export async function openClient(address: string): Promise<Client> {
  const { hostname, port, host } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject))
  const state: { waiting: Waiting | null; parts: Buffer[] } = { waiting: null, parts: [] }
  const lost = () => state.waiting?.reject(new Error(`the connection to ${address} ended`))
  socket.on('error', lost).on('close', lost)
  socket.on('data', (part: Buffer) => {
    state.parts.push(part)
    const whole = state.parts.length === 1 ? part : Buffer.concat(state.parts)
    const answer = answerIn(whole)
    state.parts = answer ? [] : [whole]
    if (!answer) return
    const { waiting } = state
    state.waiting = null
    waiting?.resolve(answer)
  })
  return {
    ask(ask) {
      socket.write(requestText(ask, host))
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      state.waiting = { resolve, reject }
      if (socket.destroyed) lost()
      return promise
    },
    isOpen: () => socket.writable,
    close: () => void end(socket),
  }
}

function end(socket: Socket): void {
  socket.removeAllListeners('close')
  socket.destroy()
}

let number = 0
const run = `${process.pid.toString(36)}-${Date.now().toString(36)}`

function requestText({ method, path, headers = {}, body }: Ask, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (body === undefined) return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`
  const text = body.replaceAll('$n', `${run}-${++number}`)
  const about = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${about}${lines.join('')}\r\n${text}`
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/** null: not all of it is there yet. */
function answerIn(bytes: Buffer): Answer | null {
  const at = bytes.indexOf(headEnd)
  if (at < 0) return null
  const head = bytes.toString('latin1', 0, at)
  const from = at + headEnd.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  const isWhole = length === undefined ? bytes.subarray(-lastChunk.length).equals(lastChunk) : bytes.length >= from + Number(length)
  return isWhole ? { status: Number(head.slice(9, 12)), text: bytes.toString('utf8', from) } : null
}
