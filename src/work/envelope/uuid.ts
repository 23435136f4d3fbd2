// UUIDs of version 7: they sort by the time at which they were made.

/** `now`: milliseconds since 1970. `random`: that many random bytes. */
export function uuids({ now, random }: { readonly now: () => number; readonly random: (bytes: number) => Uint8Array }): () => string {
  return () => {
    const time = now().toString(16).padStart(12, '0').slice(-12)
    const digits = Buffer.from(random(10)).toString('hex')
    const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 3) | 8).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, 19)}`
  }
}
