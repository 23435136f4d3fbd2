// Servers of the Model Context Protocol as sources of tools. Others import this door.
// Owns: connections, what servers offer, calls and their answers, all within limits. Leaves whether a call may be made to policy, its
// record to who calls, secrets to who gives headers.
//
// Y103 A server is reached by the guard of the web: checked addresses, its own origin only, secrets encrypted, no redirect elsewhere.
// Y104 What a server says is bounded: pages, tools, bytes, depth, schemas, time. What is too much is left out and named; a dead server is
//     an answer, never a throw, and is not asked again before its pause is over.
// Y105 What a server says of its tools is content. Names get a prefix, descriptions stand between marks, hints decide nothing; a definition
//     has a hash, so that a yes to one is no yes to another.
import { type Connection, openConnection } from './connection.ts'
import type { McpRooms, McpServers, McpTarget } from './server.ts'

export { faultInArguments } from './arguments.ts'
export { offeredName, spokenOf } from './definitions.ts'
export { openWay, type Way } from './fetch.ts'
export type { McpAnswer, McpDefinition, McpFailure, McpListed, McpRooms, McpServers, McpTarget } from './server.ts'

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
