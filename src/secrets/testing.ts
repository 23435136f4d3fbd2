// A secret store for tests: a real SQLite file, a keyring in memory, a clock by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../base/log.ts'
import { type HandClock, handClock } from '../base/testing.ts'
import type { SecretFact } from './facts.ts'
import type { Keyring } from './keyring.ts'
import { openSecrets, type SecretsOptions } from './open-secrets.ts'
import type { Secrets } from './secrets.ts'
import type { SecretsStore } from './secrets-store.ts'

export type SecretsBench = {
  readonly home: string
  readonly clock: HandClock
  readonly lines: string[]
  readonly facts: SecretFact[]
  /** What the keyring holds; null: there is no keyring. */
  keyring: Map<string, string> | null
  /** Opens the store again over the same file, as a start would. */
  open(more?: Partial<SecretsOptions>): Promise<Secrets>
  remove(): void
}

/** `store` opens the rows in that folder. It is an argument because rooms don't know implementations. */
export function secretsBench(store: (folder: string) => Promise<SecretsStore>): SecretsBench {
  const home = mkdtempSync(join(tmpdir(), 'steward-secrets-'))
  const clock = handClock()
  const lines: string[] = []
  const facts: SecretFact[] = []
  const log: Log = (level, what, fields) => void lines.push(`${level} ${what} ${JSON.stringify(fields ?? {})}`)
  const bench: SecretsBench = {
    home,
    clock,
    lines,
    facts,
    keyring: null,
    async open(more = {}) {
      const { keyring } = bench
      return openSecrets({
        store: await store(home),
        passphrase: null,
        keyring: async () => (keyring === null ? { why: 'there is none here' } : keyringOver(keyring)),
        keyFolder: join(home, 'keys'),
        random: (count) => crypto.getRandomValues(new Uint8Array(count)),
        now: clock.now,
        log,
        record: async (fact) => void facts.push(fact),
        ...more,
      })
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
  return bench
}

function keyringOver(entries: Map<string, string>): Keyring {
  return {
    get: async (account) => entries.get(account) ?? null,
    set: async (account, value) => void entries.set(account, value),
    remove: async (account) => void entries.delete(account),
  }
}
