// Opens the secret store: the vault of values, the ways into and out of texts, and what a person may do.
import { messageOf, NotFound, Unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Actor } from '../protocol/actor.ts'
import { openBytes } from './bytes.ts'
import { nameHash, type RandomBytes } from './cipher.ts'
import type { RecordFact, SecretFact } from './facts.ts'
import { inForm } from './forms.ts'
import { exportText, importText } from './key-transfer.ts'
import type { Keyring } from './keyring.ts'
import { type Matcher, openMatcher, piecesOf } from './matcher.ts'
import { checkAgents, checkHosts, checkName, checkSecretValue, originOf, ownPrefix } from './names.ts'
import { type FoundValue, openSealing } from './sealing.ts'
import { Denied, referencesIn, replaceReferences, type SecretInfo, type Secrets } from './secrets.ts'
import type { SecretRow, SecretsStore } from './secrets-store.ts'
import { openVault, type Vault } from './vault.ts'
import { openWrapping } from './wrapping.ts'

export type SecretsOptions = {
  readonly store: SecretsStore
  readonly passphrase: string | null
  /** Asked when a key is to be kept or fetched there; systemKeyring() is the real one. */
  readonly keyring: () => Promise<Keyring | { readonly why: string }>
  /** Absolute path of the folder of key files; made when it is needed. */
  readonly keyFolder: string
  readonly random: RandomBytes
  readonly now: () => number
  readonly log: Log
  /** Secrets among the hub's own settings, by name: taken out of texts, kept nowhere, used by nobody. */
  readonly own?: Readonly<Record<string, string>>
  readonly record?: RecordFact
}

/** Opens also when the key is missing or wrong: `locked` then says why. Throws when the store itself can't be read. */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { store, passphrase, keyring, keyFolder, random, log } = options
  const wrapping = openWrapping({ passphrase, keyring, folder: keyFolder, random })
  const vault = await openVault({ store, wrapping, random, log })
  const room: Room = { options, vault, matcher: openMatcher(), names: new Map(), pending: new Set(), tail: Promise.resolve() }
  reload(room)
  const sealing = openSealing({
    matcher: { replace: (text) => room.matcher.replace(text) },
    nameOf: (value) => room.names.get(value) ?? null,
    keep: (found) => inOrder(room, () => keepFound(room, found)),
  })
  return {
    get keptIn() {
      return vault.keptIn
    },
    get locked() {
      return vault.locked
    },
    ...sealing,
    ...openBytes({ vault, random, holds: (text) => sealing.mask(text) !== text }),
    scrub: (text) => room.matcher.replace(text),
    inPieces: () => piecesOf(() => room.matcher),
    list: async () => vault.rows().map(infoOf),
    value: async (name) => ownValue(vault, name),
    resolve: (text, use) => resolve(room, text, use),
    ...changing(room),
    ...keys(room),
    async close() {
      await room.tail
      await Promise.all(room.pending)
    },
  }
}

type Room = {
  readonly options: SecretsOptions
  readonly vault: Vault
  matcher: Matcher
  /** The name of each value that is kept, the first that it was given. */
  names: Map<string, string>
  /** Facts on their way into the journal. */
  readonly pending: Set<Promise<void>>
  /** Changes are made one after the other. */
  tail: Promise<unknown>
}

function inOrder<T>(room: Room, work: () => Promise<T>): Promise<T> {
  const mine = room.tail.then(work)
  room.tail = mine.catch(() => undefined)
  return mine
}

/** What texts are looked through for: the hub's own values first, then those that are kept, oldest first. */
function reload(room: Room): void {
  room.matcher = openMatcher()
  room.names = new Map()
  for (const [name, value] of Object.entries(room.options.own ?? {})) register(room, { name: `${ownPrefix}${name.toLowerCase()}`, value })
  for (const { row, value, older } of room.vault.all()) {
    for (const one of [...older, value]) register(room, { name: row.name, value: one, everywhere: row.everywhere })
  }
}

function register(room: Room, given: { readonly name: string; readonly value: string; readonly everywhere?: boolean }): void {
  const { name, value, everywhere = true } = given
  if (!room.names.has(value)) room.names.set(value, name)
  if (everywhere) room.matcher.add(name, value)
}

/** The fact follows the change; a journal that takes nothing now does not undo it. */
function tell(room: Room, fact: SecretFact, by: Actor): void {
  const told = room.options.record?.(fact, by).catch((error: unknown) => {
    room.options.log('warn', 'what happened to a secret could not be noted in the journal', {
      change: fact.change,
      error: messageOf(error),
    })
  })
  if (told === undefined) return
  room.pending.add(told)
  void told.finally(() => room.pending.delete(told))
}

async function keepFound(room: Room, found: readonly FoundValue[]): Promise<readonly string[]> {
  const { vault, options } = room
  const { locked } = vault
  if (locked !== null) {
    const kinds = [...new Set(found.map((one) => one.kind))].join(', ')
    throw new Unavailable(`This text holds what looks like a secret (${kinds}), and it can't be put away. ${locked}`)
  }
  const { naming } = await vault.keys()
  const names: string[] = []
  const made: string[] = []
  for (const { value, kind, everywhere } of found) {
    const known = room.names.get(value)
    const name = known ?? `${kind}-${nameHash(value, naming)}`
    names.push(name)
    if (known !== undefined) continue
    const row: SecretRow = { ...fresh, name, origin: 'found', createdAt: options.now(), everywhere }
    await vault.put(row, value)
    register(room, { name, value, everywhere })
    made.push(name)
  }
  if (made.length > 0) tell(room, { change: 'found', names: made }, 'system')
  return names
}

const fresh = { agents: [], hosts: [], version: 1, rotatedAt: null, lastUsedAt: null } as const

function changing(room: Room): Pick<Secrets, 'set' | 'grant' | 'remove'> {
  const { vault, options } = room
  return {
    set: (given, by) =>
      inOrder(room, async () => {
        const [name, value] = [checkName(given.name), checkSecretValue(given.value)]
        const grants = grantsOf(given)
        const before = vault.rows().find((row) => row.name === name)
        const now = options.now()
        const row: SecretRow = before
          ? { ...before, ...grants, origin: 'typed', everywhere: true, version: before.version + 1, rotatedAt: now }
          : { ...fresh, ...grants, name, origin: 'typed', everywhere: true, createdAt: now }
        await vault.put(row, value)
        register(room, row.version === 1 ? { name, value } : { name, value, everywhere: true })
        tell(room, { change: before ? 'rotated' : 'set', names: [name], agents: row.agents, hosts: row.hosts }, by)
        return infoOf(row)
      }),
    grant: (name, given, by) =>
      inOrder(room, async () => {
        const row = { ...rowOf(vault, name), ...grantsOf(given) }
        await vault.update(row)
        tell(room, { change: 'granted', names: [name], agents: row.agents, hosts: row.hosts }, by)
        return infoOf(row)
      }),
    remove: (name, by) =>
      inOrder(room, async () => {
        if (!(await vault.remove(name))) return false
        reload(room)
        tell(room, { change: 'removed', names: [name] }, by)
        return true
      }),
  }
}

function grantsOf(given: { readonly agents?: readonly string[]; readonly hosts?: readonly string[] }): Partial<SecretRow> {
  const { agents, hosts } = given
  return { ...(agents ? { agents: checkAgents(agents) } : {}), ...(hosts ? { hosts: checkHosts(hosts) } : {}) }
}

function keys(room: Room): Pick<Secrets, 'rotateKey' | 'exportKey' | 'importKey'> {
  const { vault } = room
  return {
    rotateKey: (by) =>
      inOrder(room, async () => {
        await vault.rekey()
        tell(room, { change: 'key-rotated', names: [] }, by)
      }),
    exportKey: (passphrase) => inOrder(room, () => exportText(vault, passphrase)),
    importKey: (exported, passphrase, by) =>
      inOrder(room, async () => {
        await importText(vault, exported, passphrase)
        reload(room)
        tell(room, { change: 'key-imported', names: [] }, by)
      }),
  }
}

async function resolve(room: Room, text: string, use: { readonly agent: string; readonly host?: string }): Promise<string> {
  const { vault, options } = room
  const names = referencesIn(text)
  if (names.length === 0) return text
  const values = new Map(names.map((name) => [name, granted(vault, name, use)]))
  const now = options.now()
  for (const name of names) await vault.used(name, now)
  return replaceReferences(text, (name, form) => {
    const value = inForm(values.get(name) ?? '', form)
    if (value === null) throw new Denied(`the secret ${name} has no form "${form}"`)
    return value
  })
}

/** The value, when that agent may send it there. Throws Denied. */
function granted(vault: Vault, name: string, { agent, host }: { readonly agent: string; readonly host?: string }): string {
  if (name.startsWith(ownPrefix)) throw new Denied(`${name} is a setting of the hub itself: no agent may use it`)
  const row = vault.rows().find((one) => one.name === name)
  if (row === undefined) throw new Denied(`there is no secret ${name}: a person gives it with: steward secrets set ${name}`)
  if (!row.agents.includes('*') && !row.agents.includes(agent)) {
    throw new Denied(`${agent} may not use the secret ${name}: a person grants it with: steward secrets grant ${name} --agent ${agent}`)
  }
  const origin = host === undefined ? null : originOf(host)
  if (row.hosts.length > 0 && (origin === null || !row.hosts.includes(origin))) {
    const there = origin === null ? 'this names none' : `not to ${origin}`
    throw new Denied(`the secret ${name} may be sent to ${row.hosts.join(', ')} only; ${there}`)
  }
  const held = vault.get(name)
  if (held === null) throw new Denied(vault.locked ?? `the secret ${name} is damaged: give its value again`)
  return held.value
}

function ownValue(vault: Vault, name: string): string | null {
  if (vault.locked !== null && vault.rows().some((row) => row.name === name)) throw new Unavailable(vault.locked)
  return vault.get(name)?.value ?? null
}

function rowOf(vault: Vault, name: string): SecretRow {
  const found = vault.rows().find((row) => row.name === name)
  if (found) return found
  throw new NotFound(`there is no secret ${JSON.stringify(name.slice(0, 64))}`)
}

function infoOf({ everywhere: _, ...info }: SecretRow): SecretInfo {
  return info
}
