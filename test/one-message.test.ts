// One message through the whole hub, asserted line by line. docs/one-message.md says the same list in words.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silent } from '../src/base/log.ts'
import { loadConfig } from '../src/config.ts'
import { startScriptedModel } from '../src/models/scripted.ts'
import { openSteward } from '../src/steward.ts'

type Shown = { readonly type: string; readonly data: Record<string, unknown>; readonly visibility: string }

test('[L1, L4, L5, L8, L11] one message: from the request to the settled reply', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-one-'))
  const shop = join(folder, 'shop')
  mkdirSync(shop)
  writeFileSync(join(shop, 'db.ts'), "db.query('SELECT * FROM users WHERE id = ' + id)\n")
  const model = await startScriptedModel()
  model.script({ calls: [{ name: 'file_search', input: { text: 'SELECT' } }] })
  model.script({ text: ['db.ts ', 'does.'] })
  const env = {
    STEWARD_HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: folder,
    STEWARD_PORT: '0',
    STEWARD_TRUST_LOOPBACK: '1',
    STEWARD_MODEL: 'openai-compatible/scripted',
    OPENAI_BASE_URL: model.url,
  }
  const hub = await openSteward(await loadConfig({ env }), { log: silent, env })
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(hub.address + path, { method, headers: { 'content-type': 'application/json', ...headers }, ...given })
    return (await answer.json()) as Record<string, never>
  }
  await call('POST', '/api/projects', { name: 'shop', roots: [shop] })
  const session = await call('POST', '/api/sessions', { project: 'shop', agent: 'quick' })
  const text = 'Which of these files builds SQL from user input?'
  const answer = await call('POST', `/api/sessions/${session.id}/messages`, { id: 'first', text }, { prefer: 'wait=20' })
  expect(answer).toMatchObject({ clientId: 'first', duplicate: false, status: 'settled', reply: { text: 'db.ts does.', agent: 'quick' } })
  const { items } = (await call('GET', `/api/sessions/${session.id}/events?limit=500&detail=operator`)) as unknown as { items: Shown[] }
  const lines = items.map(({ type, data }) => [
    type,
    data.name ?? data.status ?? (data.message as { role?: string } | undefined)?.role ?? '',
  ])
  expect(lines).toEqual([
    ['process-created', ''],
    ['process-status-changed', 'IDLE'],
    ['session-created', ''],
    ['chat-message-appended', 'user'],
    ['turn-started', ''],
    ['chat-message-updated', 'accepted'],
    ['step-done', 'setup'],
    ['step-done', 'route'],
    ['route-decided', 'route-1'],
    ['step-started', 'model-1'],
    ['process-status-changed', 'RUNNING'],
    ['foundation-frozen', ''],
    ['step-done', 'model-1'],
    ['manifest', 'manifest-model-1'],
    ['model-spent', 'spent-model-1'],
    ['step-started', 'tool-1.1-file_search'],
    ['step-done', 'tool-1.1-file_search'],
    ['taint-raised', 'taint-1'],
    ['step-started', 'model-2'],
    ['step-done', 'model-2'],
    ['manifest', 'manifest-model-2'],
    ['model-spent', 'spent-model-2'],
    ['chat-message-appended', 'reply-2'],
    ['turn-settled', ''],
    ['chat-message-updated', 'settled'],
    ['process-status-changed', 'IDLE'],
  ])
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("SELECT * FROM users WHERE id = ' + id")
  await hub.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})
