// What a worker spent and changed, as its own lane tells.
import type { LaneId } from '../../base/ids.ts'
import { isObject } from '../../base/json.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Event } from '../../protocol/event.ts'

/** Micros; `unpriced`: calls without a price. */
export type Cost = { readonly micros: number; readonly calls: number; readonly unpriced: number }

export type Ledger = { readonly cost: Cost; readonly files: readonly string[] }

const pageLength = 500
const mostFiles = 1_000

export async function ledgerOf({ readLane, body }: Pick<JournalStore, 'readLane' | 'body'>, lane: LaneId): Promise<Ledger> {
  let cost: Cost = noCost
  const files = new Set<string>()
  for (let after = 0; ; ) {
    const events = await readLane(lane, after, pageLength)
    for (const event of events) {
      if (event.type === 'model-spent') cost = added(cost, costIn(event))
      if (event.type === 'step-done' && files.size < mostFiles) for (const file of await wroteIn({ body }, event)) files.add(file)
    }
    after = events.at(-1)?.seq ?? after
    if (events.length < pageLength) return { cost, files: [...files].toSorted() }
  }
}

export const noCost: Cost = { micros: 0, calls: 0, unpriced: 0 }

export function added(one: Cost, other: Cost): Cost {
  return { micros: one.micros + other.micros, calls: one.calls + other.calls, unpriced: one.unpriced + other.unpriced }
}

function costIn({ data: { cost, lost } }: Event): Cost {
  const number = (value: unknown) => (typeof value === 'number' ? value : 0)
  return { micros: number(cost) + number(lost), calls: 1, unpriced: typeof cost === 'number' ? 0 : 1 }
}

/** Of a tool's recorded result. */
async function wroteIn({ body }: Pick<JournalStore, 'body'>, { data }: Event): Promise<readonly string[]> {
  const ref = data['ref']
  const value: unknown = typeof ref === 'string' ? JSON.parse((await body(ref)) ?? 'null') : data['value']
  const wrote = isObject(value) ? value['wrote'] : null
  return Array.isArray(wrote) ? wrote.filter((one): one is string => typeof one === 'string') : []
}

/** "0.0123 USD for 4 calls of models" */
export function costText({ micros, calls, unpriced }: Cost): string {
  if (calls === 0) return 'no calls of models'
  const amount = (micros / 1_000_000).toFixed(micros < 100_000 ? 4 : 2)
  const count = `${calls} ${calls === 1 ? 'call' : 'calls'} of models`
  if (unpriced === calls) return `${count} without a price`
  return `${amount} USD for ${count}${unpriced > 0 ? `, ${unpriced} of them without a price` : ''}`
}
