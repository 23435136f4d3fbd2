// What `doctor` says about routing documents.
import type { Finding } from '../protocol/api.ts'
import type { ScopeRef } from '../scopes/scopes.ts'
import type { Routing } from './routing.ts'

const mostTold = 5

/** Over these places; each fault once, with its document and line. */
export async function routingFinding(routing: Pick<Routing, 'faults'>, places: readonly ScopeRef[]): Promise<Finding> {
  const faults = [...new Set((await Promise.all(places.map((place) => routing.faults(place)))).flat())]
  const name = 'routing'
  if (faults.length === 0) return { name, status: 'ok', detail: 'the routing documents have no faults' }
  const more = faults.length > mostTold ? `\nAnd ${faults.length - mostTold} more.` : ''
  const mend = 'Mend the document: until then it counts as if it were not there.'
  return { name, status: 'warn', detail: `${faults.slice(0, mostTold).join('\n')}${more}`, mend }
}
