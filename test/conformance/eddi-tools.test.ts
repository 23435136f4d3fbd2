// EDDI's recorded cases about requests into closed networks and about arithmetic, each as a real call. Where Steward differs on
// purpose the test says so, and docs/compatibility.md says why.
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../src/tools/calc/evaluate.ts'
import { convert } from '../../src/tools/calc/units.ts'
import { whyClosed } from '../../src/tools/web/address.ts'
import { findTarget, isBlockedName, parseUrl } from '../../src/tools/web/target.ts'
import { describeShared } from '../shared.ts'

type Ssrf = {
  readonly id: string
  readonly kind: 'validateUrl' | 'isBlockedHostname' | 'isPrivateAddress' | 'isValidHttpUrl'
  readonly url?: string | null
  readonly host?: string
  readonly address?: string
  readonly resolvesTo?: readonly string[] | string | null
  readonly allowed?: boolean
  readonly expected?: boolean
}

/** Closed here although EDDI lets them through: every special-purpose range is (DESIGN section 7). */
const stricter =
  /^(?:24\d|25[0-5])\.|^192\.0\.[02]\.|^192\.88\.99\.|^198\.(?:18|19|51\.100)\.|^203\.0\.113\.|^64:ff9b:|^2002:|^2001:(?:0{0,4}:|db8:)|^100::/i

/** Forms of a URL that are refused here whatever they lead to: user names, hidden addresses, ports of no page. */
const refusedForm = /^https?:\/\/(?:[^/?#]*@|[^/?#]*:(?!80\b|443\b|\d{4,5}\b)\d+|0x|\d+(?:[/:]|$))/i

const isUrl = (url: string | null | undefined) => parseUrl(url ?? '') instanceof URL

async function isAllowed(one: Ssrf): Promise<boolean> {
  const url = parseUrl(one.url ?? '')
  if (!(url instanceof URL)) return false
  const lookup = async (): Promise<readonly string[]> => {
    if (Array.isArray(one.resolvesTo)) return one.resolvesTo
    throw new Error('ENOTFOUND')
  }
  const found = await findTarget(url, { lookup, exempt: () => [], ownPorts: () => [], machine: () => [] }, { exempt: true })
  return !('why' in found)
}

const calls: Record<Ssrf['kind'], (one: Ssrf) => Promise<boolean> | boolean> = {
  validateUrl: isAllowed,
  isBlockedHostname: (one) => isBlockedName(one.host ?? ''),
  isPrivateAddress: (one) => whyClosed(one.address ?? '') !== null,
  isValidHttpUrl: (one) => isUrl(one.url),
}

describeShared('[T40] requests into closed networks', 'eddi/ssrf.json', ({ rows }) => {
  const cases = (rows as readonly Ssrf[]).map((one) => [one.id, one] as const)
  test.each(cases)('[T40] %s', async (_id, one) => {
    const meant = one.kind === 'validateUrl' ? one.allowed : one.expected
    const addresses = [one.address, ...(Array.isArray(one.resolvesTo) ? one.resolvesTo : [])]
    const isOpenThere = meant === (one.kind === 'validateUrl' || one.kind === 'isValidHttpUrl')
    const differs = isOpenThere && (addresses.some((address) => stricter.test(address ?? '')) || refusedForm.test(one.url ?? ''))
    expect(await calls[one.kind](one)).toBe(differs ? !meant : meant)
  })
})

type Sum = {
  readonly id: string
  readonly kind?: 'convertUnits'
  readonly expr?: string | null
  readonly exprGenerator?: Readonly<Record<string, string | number>>
  readonly expected?: string
  readonly expectedPrefix?: string
  readonly expectedNumber?: number
  readonly expectedContains?: readonly string[]
  readonly error?: boolean
  readonly errorPrefix?: string
  readonly value?: number
  readonly from?: string
  readonly to?: string
}

function expressionOf({ expr, exprGenerator: made }: Sum): string {
  if (!made) return expr ?? ''
  const times = Number(made.times)
  if (made.open !== undefined) return String(made.open).repeat(times) + made.inner + String(made.close).repeat(times)
  return `${made.prefix}${String(made.repeat).repeat(times)}`
}

describeShared('[T45] arithmetic', 'eddi/safemath.json', ({ rows }) => {
  const cases = (rows as readonly Sum[]).map((one) => [one.id, one] as const)
  test.each(cases)('[T45] %s', (_id, one) => {
    const found =
      one.kind === 'convertUnits'
        ? convert({ value: String(one.value), from: one.from ?? '', to: one.to ?? '' })
        : evaluate(expressionOf(one))
    expect(found.ok).toBe(one.error !== true)
    if (one.errorPrefix !== undefined) expect(found.text.startsWith(one.errorPrefix)).toBe(true)
    if (one.expected !== undefined) expect(found.text).toBe(one.expected)
    if (one.expectedPrefix !== undefined) expect(found.text.startsWith(one.expectedPrefix)).toBe(true)
    if (one.expectedNumber !== undefined) expect(Number(found.text)).toBe(one.expectedNumber)
    for (const part of one.expectedContains ?? []) expect(found.text).toContain(part)
  })
})

describe('what the recorded cases leave open', () => {
  test('[T40] a mapped address is judged as the one that it is', async () => {
    expect(whyClosed('::ffff:8.8.8.8')).toBeNull()
    expect(whyClosed('::ffff:192.168.0.1')).not.toBeNull()
  })
})
