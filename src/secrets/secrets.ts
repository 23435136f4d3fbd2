// The secret store: values that nobody sees, and references to them, `{{secret:name}}` (DESIGN section 5).
// Owns: encryption, the wrapping key, references, grants per agent, rotation, taking values out of texts. Leaves where texts come
// in and go out to whoever handles them: each text that is stored, logged or shown to a model goes through `seal` or `scrub` before.
// Opened by open-secrets.ts; what it needs of a store stands in secrets-store.ts, the system's keyring in keyring.ts, its facts for
// the journal in facts.ts.
//
// V1  A value is stored encrypted only, bound to its name and version; without its key nothing opens and nothing is lost.
// V2  A registered value, in every form that it may have, and what is unmistakably a secret become references, the same ones each time.
// V3  A reference is resolved at the moment of use, for an agent and a host that a person granted; a found one for nobody before that.
// V4  Rotation of values and of the key loses nothing; a key leaves the machine under a passphrase only.
// V5  No value stands in an answer, a sentence, the log or the journal.
import { Forbidden } from '../base/errors.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Keeper } from './secrets-store.ts'

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
  /** Like scrub, for words that come in pieces: what may be the beginning of a value is held back until it is known. */
  inPieces(): Pieces
  /**
   * The same for every string of a JSON value. With `names` also what stands under a secret's name: authorization, apiKey, set-cookie.
   * The same value when there is nothing to take out.
   */
  sealJson<T>(value: T, options?: { readonly names: boolean }): Promise<T>
  /** Like scrub, and what is unmistakably a secret is not shown either; nothing is kept. For the log. */
  mask(text: string): string
  /**
   * For a copy of a person's file: encrypted as a whole when there is a secret in it, else the same bytes. `unlockBytes` gives back
   * what was given. Both throw Unavailable when that needs the key and the store is locked.
   */
  lockBytes(bytes: Uint8Array): Promise<Uint8Array>
  unlockBytes(bytes: Uint8Array): Promise<Uint8Array>
  /** Replaces references by values at the moment of use. Throws Denied that names the secret and what is missing. */
  resolve(text: string, use: { readonly agent: string; readonly host?: string }): Promise<string>
  /** Where the wrapping key is, for doctor; null: nothing was given to keep yet, so there is none. */
  readonly keptIn: Keeper | null
  /** Why nothing can be opened, in a sentence for a person; null: all is well. What comes in is refused rather than let through. */
  readonly locked: string | null
  /** A new data key for all values, wrapped anew. Throws Unavailable while locked. */
  rotateKey(by: Actor): Promise<void>
  /** The keys under a passphrase, for a backup. Throws InvalidInput for a weak one, Unavailable while locked or when there is none. */
  exportKey(passphrase: string): Promise<string>
  /** Opens a store whose key was lost, with what exportKey gave. Throws InvalidInput for other keys or another passphrase. */
  importKey(exported: string, passphrase: string, by: Actor): Promise<void>
  close(): Promise<void>
}

/** One stream of words. */
export type Pieces = {
  /** What may be shown now; often a little less than came, sometimes nothing. */
  add(words: string): string
  /** Nothing more comes: what was held back. */
  end(): string
}

/** A reference that may not be resolved. The message names the secret and what is missing, never the value. */
export class Denied extends Forbidden {}

const reference = /\{\{secret:([a-z][a-z0-9_.-]{0,63})(?::([a-z][a-z0-9-]{0,15}))?\}\}/g

/** The names that a text refers to, each once. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(reference)].map(([, name]) => name ?? ''))]
}

/** The text with each reference replaced. `form`: how the value stood there (forms.ts). */
export function replaceReferences(text: string, replace: (name: string, form: string | undefined) => string): string {
  return text.replace(reference, (_, name: string, form: string | undefined) => replace(name, form))
}
