// What the secrets room needs of a store. Values are encrypted before they get here; names and grants are not.

export const keepers = ['keyring', 'passphrase', 'file'] as const
export type Keeper = (typeof keepers)[number]

/** The one data key, wrapped, and the key of names under it. */
export type KeyRow = {
  /** Changes with the data key; names the wrapping key in the keyring. */
  readonly id: string
  readonly keptIn: Keeper
  /** Only of a passphrase: how it becomes the wrapping key. */
  readonly kdf: string | null
  readonly salt: Uint8Array | null
  readonly wrapped: Uint8Array
  readonly naming: Uint8Array
}

export type SecretRow = {
  readonly name: string
  readonly origin: 'typed' | 'found'
  readonly agents: readonly string[]
  readonly hosts: readonly string[]
  readonly version: number
  readonly createdAt: number
  readonly rotatedAt: number | null
  readonly lastUsedAt: number | null
  /** Taken out of every text wherever it stands; else only where it is unmistakably a secret by what stands around it. */
  readonly everywhere: boolean
}

export type ValueRow = { readonly name: string; readonly version: number; readonly cipher: Uint8Array }

export interface SecretsStore {
  key(): Promise<KeyRow | null>
  /** The first key, or the same one wrapped anew. */
  putKey(key: KeyRow): Promise<void>
  /** Another data key and all values under it, in one transaction. */
  rekey(key: KeyRow, values: readonly ValueRow[]): Promise<void>

  /** Oldest first. */
  secrets(): Promise<readonly SecretRow[]>
  /** All versions that are kept, oldest first. */
  values(): Promise<readonly ValueRow[]>
  /** A new secret or a new version of one, durable; versions up to `forget` go. */
  put(secret: SecretRow, given: { readonly value: ValueRow; readonly forget: number }): Promise<void>
  /** Grants and marks; never the value. */
  update(secret: SecretRow): Promise<void>
  /** May be lost with the power. */
  used(name: string, at: number): Promise<void>
  /** With all its versions; false when there is none. */
  remove(name: string): Promise<boolean>
}
