// Values and their keys: what is decrypted in memory, what is encrypted in the store, and whether it can be opened at all.
import { InvalidInput, Unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { decrypt, encrypt, keyBytes, type RandomBytes } from './cipher.ts'
import type { Keeper, KeyRow, SecretRow, SecretsStore, ValueRow } from './secrets-store.ts'
import { type Keys, unwrapUnderPassphrase, type Wrapping, wrapUnderPassphrase } from './wrapping.ts'

/** `older`: values that it had before, the oldest first. */
export type Held = { readonly row: SecretRow; readonly value: string; readonly older: readonly string[] }

export type Vault = {
  readonly keptIn: Keeper | null
  readonly locked: string | null
  /** What is known without a key, oldest first. */
  rows(): readonly SecretRow[]
  /** null when there is none, or while locked. */
  get(name: string): Held | null
  all(): readonly Held[]
  /** The keys; the first call makes them. Throws Unavailable while locked. */
  keys(): Promise<Keys>
  put(row: SecretRow, value: string): Promise<void>
  update(row: SecretRow): Promise<void>
  used(name: string, at: number): Promise<void>
  remove(name: string): Promise<boolean>
  rekey(): Promise<void>
  exported(passphrase: string): Promise<KeyRow>
  /** Throws InvalidInput when it is another store's key or another passphrase. */
  imported(row: KeyRow, passphrase: string): Promise<void>
}

export type VaultOptions = { readonly store: SecretsStore; readonly wrapping: Wrapping; readonly random: RandomBytes; readonly log: Log }

/** So many versions of a value are still taken out of texts; the newest is the one that is used. */
const versionsKept = 10

export async function openVault(options: VaultOptions): Promise<Vault> {
  const { store } = options
  const state = await loaded(options)
  const rows = new Map((await store.secrets()).map((row) => [row.name, row]))
  const keys = () => keysOf(options, state)
  const open = { options, state, rows, keys }
  return {
    get keptIn() {
      return state.row?.keptIn ?? null
    },
    get locked() {
      return state.why
    },
    rows: () => [...rows.values()],
    get: (name) => heldOf(open, name),
    all: () => [...rows.keys()].flatMap((name) => heldOf(open, name) ?? []),
    keys,
    ...changing(open),
    ...rekeying(open),
  }
}

type State = {
  row: KeyRow | null
  keys: Keys | null
  /** Why it is locked. */
  why: string | null
  values: Map<string, string[]>
  making: Promise<Keys> | null
}

type Open = {
  readonly options: VaultOptions
  readonly state: State
  readonly rows: Map<string, SecretRow>
  readonly keys: () => Promise<Keys>
}

function heldOf({ rows, state }: Open, name: string): Held | null {
  const row = rows.get(name)
  const values = state.values.get(name) ?? []
  const value = values.at(-1)
  return row === undefined || value === undefined ? null : { row, value, older: values.slice(0, -1) }
}

async function loaded(options: VaultOptions): Promise<State> {
  const { store, wrapping, log } = options
  const row = await store.key()
  const state: State = { row, keys: null, why: null, values: new Map(), making: null }
  if (row === null) return state
  const unwrapped = await wrapping.unwrap(row)
  if (!unwrapped.ok) {
    state.why = `The secrets can't be opened: ${unwrapped.why}. None is lost.`
    log('error', state.why)
    return state
  }
  state.keys = unwrapped.keys
  await readValues(options, state)
  if (row.keptIn !== 'passphrase' && wrapping.hasPassphrase) {
    await keepAnew(options, state, { keys: unwrapped.keys, keptIn: 'passphrase' })
    log('info', 'the key of the secrets is kept under the passphrase from now on')
  }
  return state
}

/** One value that doesn't open is told and left alone: it must not take the others with it. */
async function readValues({ store, log }: VaultOptions, state: State): Promise<void> {
  const { keys } = state
  if (keys === null) return
  state.values.clear()
  for (const { name, version, cipher } of await store.values()) {
    const plain = decrypt(cipher, { key: keys.data, about: aboutValue(name, version) })
    if (plain === null) log('error', 'a secret is damaged and can not be used: give its value again', { name, version })
    else state.values.set(name, [...(state.values.get(name) ?? []), plain.toString('utf8')])
  }
}

/** The new place has the key before the row says so, and the old place loses it after. */
async function keepAnew({ store, wrapping }: VaultOptions, state: State, given: { keys: Keys; keptIn: Keeper }): Promise<void> {
  const before = state.row
  const row = await wrapping.wrap(given.keys, given.keptIn)
  await store.putKey(row)
  state.row = row
  if (before !== null && before.keptIn !== row.keptIn) await wrapping.forget(before)
}

async function keysOf(options: VaultOptions, state: State): Promise<Keys> {
  if (state.why !== null) throw new Unavailable(state.why)
  if (state.keys !== null) return state.keys
  state.making ??= makeKeys(options, state).finally(() => {
    state.making = null
  })
  return state.making
}

async function makeKeys(options: VaultOptions, state: State): Promise<Keys> {
  const { wrapping, random, log } = options
  const keys: Keys = { id: newKeyId(random), data: random(keyBytes), naming: random(keyBytes) }
  const place = await wrapping.place()
  try {
    await keepAnew(options, state, { keys, keptIn: place })
  } catch (error) {
    if (place !== 'keyring') throw error
    log('warn', 'the keyring takes no key: the key of the secrets is kept in a file that only you may read')
    await keepAnew(options, state, { keys, keptIn: 'file' })
  }
  state.keys = keys
  return keys
}

function changing({ options, state, rows, keys }: Open): Pick<Vault, 'put' | 'update' | 'used' | 'remove'> {
  const { store, random } = options
  return {
    async put(row, value) {
      const { data } = await keys()
      const { name, version } = row
      const cipher = encrypt(Buffer.from(value), { key: data, about: aboutValue(name, version), random })
      await store.put(row, { value: { name, version, cipher }, forget: version - versionsKept })
      rows.set(name, row)
      state.values.set(name, [...(state.values.get(name) ?? []), value].slice(-versionsKept))
    },
    async update(row) {
      await store.update(row)
      rows.set(row.name, row)
    },
    async used(name, at) {
      const row = rows.get(name)
      if (row === undefined) return
      await store.used(name, at)
      rows.set(name, { ...row, lastUsedAt: at })
    },
    async remove(name) {
      const removed = await store.remove(name)
      rows.delete(name)
      state.values.delete(name)
      return removed
    },
  }
}

function rekeying({ options, state, keys }: Open): Pick<Vault, 'rekey' | 'exported' | 'imported'> {
  const { store, wrapping, random } = options
  return {
    async rekey() {
      const old = await keys()
      const before = state.row
      const next: Keys = { id: newKeyId(random), data: random(keyBytes), naming: old.naming }
      const row = await wrapping.wrap(next, before?.keptIn ?? 'file')
      const values = (await store.values()).flatMap((value) => reencrypted(value, { from: old, to: next, random }))
      await store.rekey(row, values)
      state.row = row
      state.keys = next
      if (before !== null) await wrapping.forget(before)
    },
    async exported(passphrase) {
      if (state.row === null) throw new Unavailable('there is no key to carry away: no secret was given to keep yet')
      return wrapUnderPassphrase(await keys(), { passphrase, random })
    },
    async imported(row, passphrase) {
      if (state.row !== null && state.row.id !== row.id)
        throw new InvalidInput('this is the key of other secrets, or an older key of these')
      const found = await unwrapUnderPassphrase(row, passphrase)
      if (found === null) throw new InvalidInput('the passphrase is not the one that the key was exported under', { path: '/passphrase' })
      await keepAnew(options, state, { keys: found, keptIn: await wrapping.place() })
      state.keys = found
      state.why = null
      await readValues(options, state)
    },
  }
}

/** What is damaged stays as it is: it does not open before or after. */
function reencrypted({ name, version, cipher }: ValueRow, given: { from: Keys; to: Keys; random: RandomBytes }): ValueRow[] {
  const about = aboutValue(name, version)
  const plain = decrypt(cipher, { key: given.from.data, about })
  return plain === null ? [] : [{ name, version, cipher: encrypt(plain, { key: given.to.data, about, random: given.random }) }]
}

function newKeyId(random: RandomBytes): string {
  return Buffer.from(random(12)).toString('hex')
}

function aboutValue(name: string, version: number): string {
  return `steward secret ${name} ${version}`
}
