// The command line's requests against a real server on a real socket of the system.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { health } from '../protocol/api.ts'
import { hubAt } from './hub.ts'

let folder: string
let server: Server
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-hub-'))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Never answers but where it is asked how it is. */
async function hubThatSays(why: readonly string[]) {
  server = createServer((request, response) => {
    if (request.url === '/health/ready') response.writeHead(503).end(JSON.stringify({ status: 'failing', why }))
  })
  const socket = join(folder, 's')
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return hubAt(folder, { socket, pid: 1, address: 'http://127.0.0.1:1', version: '0' })
}

test('[C6] a hub that does not answer is told with what it says of itself', async () => {
  const hub = await hubThatSays(['nothing can be stored: the disk is full'])
  const asked = hub.call('POST', '/api/sessions', health, { body: {}, timeoutMs: 20 })
  await expect(asked).rejects.toThrow('within 0 seconds: nothing can be stored: the disk is full. Find out more with: steward doctor')
})
