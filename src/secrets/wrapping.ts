// Where the wrapping key is: derived from a passphrase, in the operating system's keyring, or in a file that only the person may read.
// It wraps the data key and the key of names; all that is stored of it is how to get it.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, Unavailable } from '../base/errors.ts'
import { narrow } from '../base/home.ts'
import { currentKdf, decrypt, encrypt, keyBytes, keyFromPassphrase, type RandomBytes } from './cipher.ts'
import type { Keyring } from './keyring.ts'
import type { Keeper, KeyRow } from './secrets-store.ts'

export type Keys = { readonly id: string; readonly data: Uint8Array; readonly naming: Uint8Array }

export type WrappingOptions = {
  /** null: the person gave none. */
  readonly passphrase: string | null
  /** Asked at most once. */
  readonly keyring: () => Promise<Keyring | { readonly why: string }>
  /** Absolute path of the folder of key files, where there is neither a passphrase nor a keyring. */
  readonly folder: string
  readonly random: RandomBytes
}

export type Unwrapped = { readonly ok: true; readonly keys: Keys } | { readonly ok: false; readonly why: string }

export type Wrapping = {
  /** The person gave one, so that is where the key belongs. */
  readonly hasPassphrase: boolean
  /** Where a new key would be kept now. Asks the keyring. */
  place(): Promise<Keeper>
  /** Never throws: a key that is missing or wrong is a sentence for a person. */
  unwrap(row: KeyRow): Promise<Unwrapped>
  /** The row of these keys, kept there. Throws when that place takes nothing. */
  wrap(keys: Keys, keptIn: Keeper): Promise<KeyRow>
  /** The wrapping key is kept somewhere else now. Never throws. */
  forget(row: KeyRow): Promise<void>
}

export function openWrapping(options: WrappingOptions): Wrapping {
  const { passphrase, random } = options
  let asked: Promise<Keyring | null> | null = null
  const keyring = () => {
    asked ??= options.keyring().then((found) => ('why' in found ? null : found))
    return asked
  }
  return {
    hasPassphrase: passphrase !== null,
    async place() {
      if (passphrase !== null) return 'passphrase'
      return (await keyring()) === null ? 'file' : 'keyring'
    },
    async unwrap(row) {
      try {
        const key = await keyOf(row, { ...options, found: row.keptIn === 'keyring' ? await keyring() : null })
        return 'why' in key ? { ok: false, why: key.why } : opened(row, key.key)
      } catch (error) {
        return { ok: false, why: `their key could not be read: ${messageOf(error)}` }
      }
    },
    async wrap(keys, keptIn) {
      if (keptIn === 'passphrase') return wrapUnderPassphrase(keys, { passphrase: passphrase ?? '', random })
      const key = random(keyBytes)
      if (keptIn === 'file') writeKey(fileOf(options.folder, keys.id), key)
      else await (await keyring())?.set(accountOf(keys.id), Buffer.from(key).toString('base64'))
      return { ...wrapped(keys, { key, random }), keptIn, kdf: null, salt: null }
    },
    async forget(row) {
      try {
        if (row.keptIn === 'file') rmSync(fileOf(options.folder, row.id), { force: true })
        if (row.keptIn === 'keyring') await (await keyring())?.remove(accountOf(row.id))
      } catch {
        // A key that wraps nothing any more is of no use to anybody.
      }
    },
  }
}

/** Also what a backup carries: the keys under a passphrase and nothing else. */
export async function wrapUnderPassphrase(
  keys: Keys,
  given: { readonly passphrase: string; readonly random: RandomBytes },
): Promise<KeyRow> {
  const salt = given.random(16)
  const key = await keyFromPassphrase(given.passphrase, { salt, kdf: currentKdf })
  return { ...wrapped(keys, { key, random: given.random }), keptIn: 'passphrase', kdf: currentKdf, salt }
}

/** null: it is another passphrase, or the bytes were changed. */
export async function unwrapUnderPassphrase(row: KeyRow, passphrase: string): Promise<Keys | null> {
  if (row.salt === null || row.kdf === null) return null
  const found = opened(row, await keyFromPassphrase(passphrase, { salt: row.salt, kdf: row.kdf }))
  return found.ok ? found.keys : null
}

function wrapped(keys: Keys, { key, random }: { key: Uint8Array; random: RandomBytes }): Pick<KeyRow, 'id' | 'wrapped' | 'naming'> {
  return {
    id: keys.id,
    wrapped: encrypt(keys.data, { key, about: aboutKey(keys.id), random }),
    naming: encrypt(keys.naming, { key: keys.data, about: aboutNaming(keys.id), random }),
  }
}

const wrong: Record<Keeper, string> = {
  passphrase: 'STEWARD_PASSPHRASE is not the passphrase that they were kept under',
  keyring: 'the key in the keyring is not the one that they were kept under',
  file: 'the key in the key file is not the one that they were kept under',
}

function opened(row: KeyRow, key: Uint8Array): Unwrapped {
  const data = decrypt(row.wrapped, { key, about: aboutKey(row.id) })
  const naming = data && decrypt(row.naming, { key: data, about: aboutNaming(row.id) })
  if (data === null || naming === null) return { ok: false, why: wrong[row.keptIn] }
  return { ok: true, keys: { id: row.id, data, naming } }
}

type Asked = WrappingOptions & { readonly found: Keyring | null }

async function keyOf(row: KeyRow, { passphrase, folder, found }: Asked): Promise<{ key: Uint8Array } | { why: string }> {
  if (row.keptIn === 'file') return keyInFile(fileOf(folder, row.id))
  if (row.keptIn === 'keyring') return keyInKeyring(row, found)
  if (passphrase === null) return { why: 'they are kept under a passphrase: set STEWARD_PASSPHRASE or STEWARD_PASSPHRASE_FILE' }
  return { key: await keyFromPassphrase(passphrase, { salt: row.salt ?? new Uint8Array(), kdf: row.kdf ?? '' }) }
}

async function keyInKeyring(row: KeyRow, found: Keyring | null): Promise<{ key: Uint8Array } | { why: string }> {
  if (found === null) return { why: "their key is in the operating system's keyring, which can't be asked now: unlock it and start again" }
  const text = await found.get(accountOf(row.id))
  return text === null ? { why: 'their key is no longer in the keyring' } : { key: Buffer.from(text, 'base64') }
}

function keyInFile(file: string): { key: Uint8Array } | { why: string } {
  if (!existsSync(file)) return { why: `their key file ${file} is gone: put it back` }
  narrow(dirname(file), 0o700)
  narrow(file, 0o600)
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  return key.length === keyBytes ? { key } : { why: `${file} holds no key: put the right one back` }
}

/** Beside and then into place, so that no half of a key is ever there. Throws Unavailable when it can't be written. */
function writeKey(file: string, key: Uint8Array): void {
  const beside = `${file}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    chmodSync(dirname(file), 0o700)
    rmSync(beside, { force: true })
    writeFileSync(beside, `${Buffer.from(key).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(beside, file)
  } catch (cause) {
    if (existsSync(beside)) rmSync(beside)
    throw new Unavailable(`the key of the secrets can't be written: ${messageOf(cause)}; nothing was kept`, { cause })
  }
}

/** Named by the data key, so that a new one is in place before the old one goes. */
const fileOf = (folder: string, id: string) => join(folder, `${id}.key`)
const accountOf = (id: string) => `data key ${id}`
const aboutKey = (id: string) => `steward data key ${id}`
const aboutNaming = (id: string) => `steward names ${id}`
