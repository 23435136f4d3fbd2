// What `doctor` says about the policy documents.
import type { Finding } from '../protocol/api.ts'
import type { ScopeRef } from '../scopes/scopes.ts'
import type { PolicyRoom } from './open-policy.ts'

const mostTold = 5

/** Over these places; each fault with its document and line. */
export async function policyFinding(policy: Pick<PolicyRoom, 'faults'>, places: readonly ScopeRef[]): Promise<Finding> {
  const found = await Promise.all(places.map(({ user = '', project = '' }) => policy.faults({ user, project })))
  const faults = [...new Set(found.flat().map(({ message }) => message))]
  const name = 'policy'
  if (faults.length === 0) return { name, status: 'ok', detail: 'the policy documents have no faults' }
  const more = faults.length > mostTold ? ` And ${faults.length - mostTold} more.` : ''
  const mend = 'Mend the document: until then nothing is done where it holds.'
  return { name, status: 'fail', detail: `${faults.slice(0, mostTold).join(' ')}${more}`, mend }
}
