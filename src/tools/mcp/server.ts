// What is said about a server of MCP, and what it says: the types that this folder shares.
import type { Clock } from '../../base/clock.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Reach } from '../web/target.ts'

export type McpTarget = {
  readonly url: string
  /** `sse`: only the older way. Anything else: the newer, then the older where the server has only that. */
  readonly transport: string
  readonly timeoutMs: number
  /** Whose connection it is: no two owners share one, since a server may know them apart by their key. */
  readonly owner: string
  /** Made when a request goes out; kept nowhere. Throws StewardError when a secret may not go there. */
  readonly headersFor: (origin: string) => Promise<Readonly<Record<string, string>>>
}

export type McpDefinition = {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
  /** Of all that the server said of it. */
  readonly hash: string
}

/** `isSent`: the call itself may have arrived. */
export type McpFailure = { readonly ok: false; readonly code: string; readonly text: string; readonly isSent: boolean }
export type McpListed = {
  readonly ok: true
  readonly tools: readonly McpDefinition[]
  /** What can't be used, and why. */
  readonly left: readonly string[]
}
export type McpResource = { readonly uri: string; readonly name: string; readonly mime: string }
export type McpAnswer = {
  readonly ok: true
  /** The tool ran and says that it failed. */
  readonly isError: boolean
  readonly text: string
  /** null: it gave none. */
  readonly structured: Json
  readonly images: readonly { readonly mime: string; readonly data: string }[]
}
export type McpCalling = {
  readonly tool: string
  readonly args: JsonObject
  /** Of the definition that the call was made for; another one now, and nothing is sent. */
  readonly hash?: string
}

/** None of them throws, unless the signal was aborted: then what it says. */
export type McpServers = {
  tools(target: McpTarget, options: { readonly signal: AbortSignal; readonly fresh?: boolean }): Promise<McpListed | McpFailure>
  call(target: McpTarget, calling: McpCalling, signal: AbortSignal): Promise<McpAnswer | McpFailure>
  resources(target: McpTarget, signal: AbortSignal): Promise<{ readonly ok: true; readonly resources: readonly McpResource[] } | McpFailure>
  read(target: McpTarget, uri: string, signal: AbortSignal): Promise<McpAnswer | McpFailure>
  close(): Promise<void>
}

export type McpRooms = { readonly reach: Reach; readonly clock: Clock; readonly version: string }
