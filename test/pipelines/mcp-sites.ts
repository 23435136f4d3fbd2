// MCP servers for tests: a real one over HTTP, one in the older way, and ones written by hand that misbehave.
import type { ServerResponse } from 'node:http'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { json, type Site, site } from './calls-stage.ts'

/** The protocol's own server; `make` builds it anew for each request. */
export async function realServer(make: () => McpServer): Promise<Site> {
  const handler = createMcpHandler(make)
  return site(async (asked, response) => {
    const { method, headers, body } = asked
    const request = new Request(`http://127.0.0.1${asked.url}`, { method, headers, ...(body === '' ? {} : { body }) })
    const answer = await handler.fetch(request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body) for await (const part of answer.body) response.write(part)
    response.end()
  })
}

export type Rpc = { readonly id?: string | number; readonly method: string; readonly params: JsonObject }
/** undefined: it says nothing and leaves the connection open. */
export type Answering = (rpc: Rpc, response: ServerResponse) => Json | undefined

const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'hand', version: '1' } }

/** Speaks the protocol of 2025 and says to everything behind the greeting what it is told to say. */
export async function handServer(answering: Answering, port = 0): Promise<Site> {
  return site(({ method, body }, response) => {
    if (method !== 'POST') return json(response, {}, 405)
    const rpc: Rpc = JSON.parse(body)
    if (rpc.id === undefined) return response.writeHead(202).end()
    const result = resultOf(rpc, answering, response)
    if (result !== undefined) json(response, { jsonrpc: '2.0', id: rpc.id, ...result })
  }, port)
}

function resultOf(rpc: Rpc, answering: Answering, response: ServerResponse): JsonObject | undefined {
  if (rpc.method === 'initialize') return { result: hello }
  if (rpc.method === 'server/discover') return { error: { code: -32601, message: 'Method not found' } }
  const result = answering(rpc, response)
  return result === undefined ? undefined : { result }
}

/** The older way: one standing stream of events, and posts beside it. */
export async function olderServer(answering: Answering): Promise<Site> {
  let stream: ServerResponse | null = null
  return site(({ method, url, body }, response) => {
    if (url === '/sse' && method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: endpoint\ndata: /messages\n\n')
      stream = response
      return
    }
    if (url !== '/messages') return json(response, { error: 'only GET here' }, 405)
    response.writeHead(202).end()
    const rpc: Rpc = JSON.parse(body)
    const result = rpc.id === undefined ? undefined : resultOf(rpc, answering, response)
    if (result !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: rpc.id ?? 0, ...result })}\n\n`)
  })
}

export function tool(name: string, more: JsonObject = {}): JsonObject {
  return { name, description: `does ${name}`, inputSchema: { type: 'object', properties: {} }, ...more }
}
