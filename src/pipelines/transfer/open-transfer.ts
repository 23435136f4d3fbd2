// Opens import and export over the room's stores, with reads of other instances through the guard of the web.
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { fetchPage, parseUrl, type Reach } from '../../tools/web/web.ts'
import type { ConfigurationStore, Deployments } from '../configurations/store.ts'
import type { Fetch } from './instance.ts'
import { ImportRefused } from './limits.ts'
import { openTemplates, type PipelineTemplates } from './templates.ts'
import { openTransfer, type Transfer } from './transfer.ts'

export type TransferOver = {
  readonly configurations: ConfigurationStore
  readonly deployments: Pick<Deployments, 'deploy'>
  readonly secrets: Pick<Secrets, 'list' | 'value' | 'set' | 'scrub' | 'sealJson'>
  readonly reach: Reach
  readonly clock: Pick<Clock, 'after'>
  /** The folder whose folders are templates. */
  readonly templatesRoot: string
}
export type OpenTransfer = { readonly transfer: Transfer; readonly templates: PipelineTemplates }

export function openTransferOver({ reach, clock, templatesRoot, ...over }: TransferOver): OpenTransfer {
  const transfer = openTransfer({ ...over, fetch: guarded(reach, clock), newResourceId: () => randomBytes(12).toString('hex') })
  return { transfer, templates: openTemplates(templatesRoot, transfer) }
}

const patienceMs = 30_000

function guarded(reach: Reach, clock: Pick<Clock, 'after'>): Fetch {
  return async (address, most) => {
    const url = parseUrl(address)
    if (!(url instanceof URL)) throw new ImportRefused(null, url.why)
    const timer = new AbortController()
    const alarm = clock.after(patienceMs, () => timer.abort(new Error(`no answer within ${patienceMs / 1000} seconds`)))
    try {
      const wanted = { url, accept: 'application/json', mostBytes: most, signal: timer.signal, headersFor: async () => ({}) }
      const page = await fetchPage(wanted, reach)
      if (!page.ok) throw new ImportRefused(null, page.why)
      if (page.answer.isCut) throw new ImportRefused(null, `${address} answers with more than ${most} bytes`)
      return { status: page.answer.status, bytes: page.answer.body }
    } finally {
      alarm.cancel()
    }
  }
}
