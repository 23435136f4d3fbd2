// What a decision is made on besides rules and grants: where the hub itself is, and what the project's folders are.
import { realpathSync } from 'node:fs'

export type Ground = {
  /** The hub's own folders, real paths: nothing in them is for agents' files and commands. */
  readonly closed: readonly string[]
  /** Of the hub itself, as it stands in a command or an address: `:4180`, since a machine has many names for itself. */
  readonly addresses: readonly string[]
  /** The hub's sockets. */
  readonly sockets: readonly string[]
  /** The person's own folder on this machine; empty when it is not known. */
  readonly home: string
  /** Real paths of the project's folders; null: not known here, and nothing is said about them. */
  readonly roots: readonly string[] | null
}

export type HubPlaces = {
  /** The data folder. */
  readonly home: string
  /** http://127.0.0.1:4180; null while it doesn't listen. */
  readonly address: string | null
  readonly socket: string | null
}

export function groundOfHub({ home, address, socket }: HubPlaces): Pick<Ground, 'closed' | 'addresses' | 'sockets'> {
  const port = address === null ? '' : new URL(address).port
  return {
    closed: [...new Set([home, realOf(home)])],
    addresses: port === '' ? [] : [`:${port}`],
    sockets: socket === null ? [] : [socket],
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
