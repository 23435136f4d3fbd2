// AES-256-GCM over bytes, and the keys it is used with. A value is bound to what it belongs to: the same bytes under another name
// or version don't open.
import { createCipheriv, createDecipheriv, createHmac, scrypt } from 'node:crypto'

export type RandomBytes = (count: number) => Uint8Array

export const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
/** The first byte of everything that is encrypted: how it was. */
const format = 1

/** `about` is not secret and not stored: it must be the same when it is opened. */
export function encrypt(plain: Uint8Array, { key, about, random }: { key: Uint8Array; about: string; random: RandomBytes }): Uint8Array {
  const iv = random(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(about))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(format), iv, cipher.getAuthTag(), body])
}

/** null: another key, another `about`, or bytes that were changed. */
export function decrypt(bytes: Uint8Array, { key, about }: { key: Uint8Array; about: string }): Buffer | null {
  if (bytes[0] !== format || bytes.length < 1 + ivBytes + tagBytes) return null
  const iv = bytes.subarray(1, 1 + ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(bytes.subarray(1 + ivBytes, 1 + ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + ivBytes + tagBytes)), decipher.final()])
  } catch {
    return null
  }
}

/** How a passphrase becomes a key, as it is stored beside what it wraps. The figures are OWASP's for scrypt with 32 MB. */
export const currentKdf = 'scrypt:15:8:3'

/** Throws for a derivation that this program doesn't know. Takes about a fifth of a second, on another thread. */
export function keyFromPassphrase(passphrase: string, { salt, kdf }: { salt: Uint8Array; kdf: string }): Promise<Uint8Array> {
  const [, log2, blockSize, parallelization] = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2})$/.exec(kdf) ?? []
  if (log2 === undefined) return Promise.reject(new Error(`there is no way ${kdf} to make a key of a passphrase`))
  const cost = 2 ** Number(log2)
  const options = { cost, blockSize: Number(blockSize), parallelization: Number(parallelization), maxmem: 256 * cost * Number(blockSize) }
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** A short word for a value that only who has the key can compute: the same value always gets the same one. 48 bits. */
export function nameHash(value: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(value).digest('hex').slice(0, 12)
}
