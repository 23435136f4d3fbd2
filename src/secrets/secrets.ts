// The secret store: values that nobody sees, and references to them, `{{secret:name}}` (DESIGN section 5).
// Owns: encryption, the wrapping key, references, grants per agent, rotation, taking values out of texts. Leaves where texts come
// in and go out to whoever handles them: each text that is stored, logged or shown to a model goes through `seal` or `scrub` before.
import type { Actor } from '../protocol/actor.ts'

export type SecretInfo = {
  readonly name: string
  /** typed: a person gave it. found: it was unmistakably one, in a text. */
  readonly origin: 'typed' | 'found'
  /** Agents that may use it; `*`: every one. A found one may be used by nobody until a person grants it. */
  readonly agents: readonly string[]
  /** Origins (https://api.example.org) it may be sent to; empty: no restriction beyond policy. */
  readonly hosts: readonly string[]
  readonly version: number
  readonly createdAt: number
  readonly rotatedAt: number | null
  readonly lastUsedAt: number | null
}

export type Secrets = {
  list(): Promise<readonly SecretInfo[]>
  /** A new one, or a new value of a known one (rotation). Durable when it resolves. Throws InvalidInput for a wrong name or value. */
  set(
    given: { readonly name: string; readonly value: string; readonly agents?: readonly string[]; readonly hosts?: readonly string[] },
    by: Actor,
  ): Promise<SecretInfo>
  grant(name: string, given: { readonly agents?: readonly string[]; readonly hosts?: readonly string[] }, by: Actor): Promise<SecretInfo>
  remove(name: string, by: Actor): Promise<boolean>
  /** The value, for the hub's own use (a provider's key); null when there is none. */
  value(name: string): Promise<string | null>
  /**
   * Takes registered values, and what is unmistakably a secret (a private key block, a bearer header, a known key prefix), out of
   * a text: the reference stands there instead. A found one is stored before it resolves. Same text, same result. Text without
   * any comes back as it is (the same string).
   */
  seal(text: string): Promise<string>
  /** Only registered values, at once: for logs and live words. */
  scrub(text: string): string
  /** Replaces references by values at the moment of use. Throws Denied that names the secret and what is missing. */
  resolve(text: string, use: { readonly agent: string; readonly host?: string }): Promise<string>
  /** Where the wrapping key is: keyring, passphrase, file. For doctor. */
  readonly keptIn: 'keyring' | 'passphrase' | 'file'
  close(): Promise<void>
}

const reference = /\{\{secret:([a-z][a-z0-9_.-]{0,63})\}\}/g

/** The names that a text refers to, each once. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(reference)].map(([, name]) => name ?? ''))]
}
