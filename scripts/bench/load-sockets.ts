// Many WebSockets that hear one session, and how long one event takes to each of them.

import { WebSocket } from 'ws'
import { type Ask, openClient } from './client.ts'
import { type Spread, spreadOf } from './spread.ts'

export type SocketJob = {
  readonly kind: 'sockets'
  readonly address: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly sockets: number
  /** Sent on each socket once it is open; `answer` is what shows that it was done. Empty: nothing. */
  readonly hello: string
  readonly answer: string
  /** Makes one event; its frame is known by `mark`. */
  readonly trigger: Ask
  readonly mark: string
  readonly rounds: number
}

/** `each`: from the request that made the event to its frame at each socket, ms. `last`: to the last socket of each round. */
export type SocketResult = { readonly each: Spread; readonly last: Spread; readonly bytes: number }

export async function sockets(job: SocketJob): Promise<SocketResult> {
  const state = { hear: (_: Buffer) => {} }
  const open: WebSocket[] = []
  while (open.length < job.sockets) {
    const slice = Array.from({ length: Math.min(50, job.sockets - open.length) }, () => openSocket(job, (bytes) => state.hear(bytes)))
    open.push(...(await Promise.all(slice)))
  }
  const client = await openClient(job.address)
  const each: number[] = []
  const last: number[] = []
  let bytes = 0
  for (let round = -3; round < job.rounds; round++) {
    const times: number[] = []
    const begun = performance.now()
    const heard = new Promise<void>((resolve) => {
      state.hear = (frame) => {
        if (!frame.includes(job.mark)) return
        bytes = frame.byteLength
        times.push(performance.now() - begun)
        if (times.length === open.length) resolve()
      }
    })
    await client.ask(job.trigger)
    await within(heard, () => `only ${times.length} of ${open.length} sockets heard of the event`)
    await pause(20)
    if (round < 0) continue
    each.push(...times)
    last.push(Math.max(...times))
  }
  for (const socket of open) socket.terminate()
  client.close()
  return { each: spreadOf(each), last: spreadOf(last), bytes }
}

function openSocket(job: SocketJob, hear: (frame: Buffer) => void): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const options = { headers: job.headers, perMessageDeflate: false, skipUTF8Validation: true }
  const socket = new WebSocket(`${job.address.replace('http', 'ws')}${job.path}`, options)
  let isReady = false
  socket.on('open', () => (job.hello === '' ? ready() : socket.send(job.hello)))
  socket.on('error', reject)
  socket.on('close', (code) => reject(new Error(`a socket was closed with ${code}`)))
  socket.on('message', (data: Buffer) => {
    if (isReady) hear(data)
    else if (data.includes(job.answer)) ready()
  })
  function ready(): void {
    isReady = true
    resolve(socket)
  }
  return promise
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

async function within(done: Promise<void>, why: () => string): Promise<void> {
  const late = Promise.withResolvers<void>()
  const alarm = setTimeout(() => late.reject(new Error(why())), 10_000)
  await Promise.race([done, late.promise])
  clearTimeout(alarm)
}
