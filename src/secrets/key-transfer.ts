// The keys as a text that may leave the machine: under a passphrase, with a word in front that says what it is.
import { InvalidInput } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import type { Vault } from './vault.ts'

const kind = 'steward-secrets-key'
const leastPassphrase = 12

/** One line of JSON. Throws InvalidInput for a short passphrase, Unavailable while locked or when there is no key. */
export async function exportText(vault: Vault, passphrase: string): Promise<string> {
  if (passphrase.length < leastPassphrase) {
    throw new InvalidInput(`the passphrase must have at least ${leastPassphrase} characters`, { path: '/passphrase' })
  }
  const { id, kdf, salt, wrapped, naming } = await vault.exported(passphrase)
  return JSON.stringify({ kind, v: 1, id, kdf, salt: text(salt ?? new Uint8Array()), wrapped: text(wrapped), naming: text(naming) })
}

/** Throws InvalidInput when it is no such text, of other secrets, or under another passphrase. */
export async function importText(vault: Vault, exported: string, passphrase: string): Promise<void> {
  const read = parsed(exported)
  const part = (name: string): string => {
    const value = read[name]
    if (typeof value === 'string') return value
    throw new InvalidInput(`the exported key has no ${name}: it is not whole`)
  }
  if (read['kind'] !== kind || read['v'] !== 1) throw new InvalidInput('this is no exported key of secrets, or one of a newer program')
  const [salt, wrapped, naming] = [bytes(part('salt')), bytes(part('wrapped')), bytes(part('naming'))]
  await vault.imported({ id: part('id'), keptIn: 'passphrase', kdf: part('kdf'), salt, wrapped, naming }, passphrase)
}

function parsed(exported: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(exported)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw new InvalidInput('this is no exported key of secrets: it is one line of JSON')
}

function text(value: Uint8Array): string {
  return Buffer.from(value).toString('base64')
}

function bytes(value: string): Uint8Array {
  return Buffer.from(value, 'base64')
}
