// Servers of the Model Context Protocol as sources of tools. Others import this door.
// Owns: connections, what servers offer, calls and their answers, all within limits. Leaves whether a call may be made to policy, its
// record to who calls, secrets to who gives headers.
//
// T45 A server is reached by the guard of the web: checked addresses, its own origin only, secrets encrypted, no redirect elsewhere.
// T46 What a server says is bounded: pages, tools, bytes, depth, schemas, time. What is too much is left out and named; a dead server is
//     an answer, never a throw, and is not asked again before its pause is over.
// T47 What a server says of its tools is content. Names get a prefix, descriptions stand between marks, hints decide nothing; a definition
//     has a hash, so that a yes to one is no yes to another.
import type { Clock } from '../../base/clock.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Reach } from '../web/target.ts'
import { type Connection, openConnection } from './connection.ts'

export { faultInArguments } from './arguments.ts'
export { offeredName, spokenOf } from './definitions.ts'

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

const mostConnections = 50

export function openMcp(rooms: McpRooms): McpServers {
  const open = new Map<string, Connection>()
  const connectionTo = (target: McpTarget): Connection => {
    const key = JSON.stringify([target.url, target.transport, target.owner])
    const known = open.get(key) ?? openConnection(rooms)
    open.delete(key)
    open.set(key, known)
    const [oldest] = open
    if (open.size > mostConnections && oldest !== undefined) {
      open.delete(oldest[0])
      void oldest[1].close()
    }
    return known
  }
  return {
    tools: (target, { signal, fresh = false }) => connectionTo(target).tools(target, { signal, fresh }),
    call: (target, calling, signal) => connectionTo(target).call(target, calling, signal),
    resources: (target, signal) => connectionTo(target).resources(target, signal),
    read: (target, uri, signal) => connectionTo(target).read(target, uri, signal),
    async close() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map((one) => one.close()))
    },
  }
}
