// Copies of files that hold secrets: encrypted as a whole, because a reference in them would have to be put back exactly, also after
// the secret has changed or gone. Copies without any stay as they are.
import { createHmac } from 'node:crypto'
import { Unavailable } from '../base/errors.ts'
import { decrypt, encrypt, type RandomBytes } from './cipher.ts'
import type { Vault } from './vault.ts'

const magic = Buffer.from('STEWARD-LOCKED-1\n')
const about = 'steward bytes'

export type BytesOptions = {
  readonly vault: Pick<Vault, 'keys' | 'locked'>
  readonly random: RandomBytes
  /** Whether the text holds a secret. */
  readonly holds: (text: string) => boolean
}

export type Bytes = {
  lockBytes(bytes: Uint8Array): Promise<Uint8Array>
  unlockBytes(bytes: Uint8Array): Promise<Uint8Array>
}

/** The key comes from that of names, which stays when the data key changes: copies are not written anew then. */
export function openBytes({ vault, random, holds }: BytesOptions): Bytes {
  const key = async () =>
    createHmac('sha256', (await vault.keys()).naming)
      .update(about)
      .digest()
  return {
    async lockBytes(bytes) {
      if (!isLocked(bytes) && !holds(Buffer.from(bytes).toString('utf8'))) return bytes
      return Buffer.concat([magic, encrypt(bytes, { key: await key(), about, random })])
    },
    async unlockBytes(bytes) {
      if (!isLocked(bytes)) return bytes
      const plain = decrypt(bytes.subarray(magic.length), { key: await key(), about })
      if (plain === null) throw new Unavailable(vault.locked ?? 'this copy was kept under another key and can not be opened')
      return plain
    },
  }
}

function isLocked(bytes: Uint8Array): boolean {
  return magic.equals(bytes.subarray(0, magic.length))
}
