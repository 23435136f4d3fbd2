/**
 * The load, a process of its own: `node scripts/bench/load.ts` with the job as JSON on standard input; prints the result as one line of JSON.
 * It ends with 1 and a sentence on standard error when an answer is not the expected one.
 */

import { text } from 'node:stream/consumers'
import { type Ask, type Client, openClient } from './client.ts'
import { type SocketJob, type SocketResult, sockets } from './load-sockets.ts'
import { type Spread, spreadOf } from './spread.ts'

export type HttpJob = {
  readonly kind: 'http'
  readonly address: string
  /** One list for each client; it asks them one after the other, again and again. */
  readonly clients: readonly (readonly Ask[])[]
  /** How many requests in all are measured, after `warm` unmeasured ones. */
  readonly count: number
  readonly warm: number
  /** What every answer must contain. */
  readonly expect: string
  /** Ends after so long, whatever the count. */
  readonly mostMs: number
}

/** Times in ms. `by`: the same for each place in the clients' lists. */
export type HttpResult = { readonly done: number; readonly perSecond: number; readonly all: Spread; readonly by: readonly Spread[] }

export type Job = HttpJob | SocketJob
export type Result<J extends Job> = J extends HttpJob ? HttpResult : SocketResult

if (import.meta.main) {
  const job: Job = JSON.parse(await text(process.stdin))
  const result = await (job.kind === 'http' ? http(job) : sockets(job))
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())
}

async function http(job: HttpJob): Promise<HttpResult> {
  const clients = await Promise.all(job.clients.map(async (asks) => ({ asks, client: await openClient(job.address) })))
  let left = job.warm
  const times: number[][] = []
  const drive = async (one: { readonly asks: readonly Ask[]; readonly client: Client }, until: number): Promise<void> => {
    for (let at = 0; left > 0 && performance.now() < until; at = (at + 1) % one.asks.length) {
      left--
      const begun = performance.now()
      await askOnce(job, one.client, one.asks[at])
      const bucket = times[at] ?? []
      times[at] = bucket
      bucket.push(performance.now() - begun)
    }
  }
  const all = () => Promise.all(clients.map((one) => drive(one, performance.now() + job.mostMs)))
  await all()
  times.length = 0
  left = job.count
  const begun = performance.now()
  await all()
  const ms = performance.now() - begun
  for (const { client } of clients) client.close()
  const done = times.flat()
  return { done: done.length, perSecond: (done.length / ms) * 1000, all: spreadOf(done), by: times.map(spreadOf) }
}

async function askOnce(job: HttpJob, client: Client, ask: Ask | undefined): Promise<void> {
  if (!ask) throw new Error('a client without requests')
  const { status, text } = await client.ask(ask)
  if (status < 300 && text.includes(job.expect)) return
  throw new Error(`${ask.method} ${ask.path}: ${status} without ${job.expect}: ${text.slice(0, 500)}`)
}
