// Which addresses a request from here may reach: the public ones. Everything that the registries call special is refused, and so is
// what wraps an IPv4 address in an IPv6 one: who connects there ends where the wrapped address is. Pure.
import ipaddr from 'ipaddr.js'

const kinds: Readonly<Record<string, string>> = {
  unspecified: 'the address of no one',
  loopback: 'an address of this machine itself',
  private: 'a private network',
  uniqueLocal: 'a private network',
  linkLocal: 'the local link, where clouds keep their metadata',
  deprecatedSiteLocal: 'a private network',
  carrierGradeNat: "a provider's inner network",
  multicast: 'a group of machines',
  broadcast: 'all machines of a network',
  rfc6145: 'an IPv4 address in an IPv6 one',
  rfc6052: 'an IPv4 address in an IPv6 one',
  '6to4': 'an IPv4 address in an IPv6 one',
  teredo: 'an IPv4 address in an IPv6 one',
}

/** Why nothing may be sent there, in a few words; null for a public address. What is no address is refused too. */
export function whyClosed(address: string): string | null {
  const bare = address.replace(/^\[|\]$/g, '')
  if (!ipaddr.isValid(bare) || (bare.includes('.') && !bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) {
    return 'no address'
  }
  // A mapped address is only another way to write the IPv4 one; the others below are ways through a gateway.
  const parsed = ipaddr.process(bare)
  const range: string = parsed.range()
  if (range !== 'unicast') return kinds[range] ?? 'a range kept for special uses'
  // Of IPv6 only 2000::/3 is given out; `unicast` is whatever else has no name there.
  const isGiven = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20
  return isGiven ? null : 'a range that is not in use'
}

/** The same text for the same address, however it is written; a mapped IPv4 address is that address. */
export function sameText(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : bare.toLowerCase()
}
