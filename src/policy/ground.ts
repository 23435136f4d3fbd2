// What a decision is made on besides rules and grants: where the hub itself is, and what the project's folders are.

export type Ground = {
  /** The hub's own folders, real paths: nothing in them is for agents' files and commands. */
  readonly closed: readonly string[]
  /** `host:port` of the hub itself, by all its names. */
  readonly addresses: readonly string[]
  /** The hub's sockets. */
  readonly sockets: readonly string[]
  /** The person's own folder on this machine; empty when it is not known. */
  readonly home: string
  /** Real paths of the project's folders; null: not known here, and nothing is said about them. */
  readonly roots: readonly string[] | null
}
