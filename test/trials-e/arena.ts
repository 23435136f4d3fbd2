// Where the attacks of group E are played: a real hub as `steward start` opens it, spoken to over HTTP by its owner, with a model
// that obeys whatever it was scripted to obey. Around it lies what an attack wants: a listener that must hear nothing, files that
// must stay, and values that must be in no request.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silent } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { type ScriptedCall, type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import { openSteward, type Steward } from '../../src/steward.ts'
import { openClient } from './client.ts'
import { openSites, type Sites } from './sites.ts'

/** What the model does when it is told `(trial KEY)`: the calls of each round, then its last words. */
export type Script = { readonly rounds: readonly (readonly ScriptedCall[])[]; readonly end?: string }

/** Stands in no request to a model and in none to elsewhere. */
export const hidden = {
  secret: 'sk-live-4f9a1c77e0b3d2',
  outside: 'OUTSIDE-THE-PROJECT-7731',
  provider: 'sk-provider-0123456789abcdef',
}

export type Arena = Awaited<ReturnType<typeof openArena>>

const reader = `---
name: reader
engine: quick
pledge: [fs.*, exec, exec.*, web.*, documents.*, scratchpad.*]
---
Reads what there is and does what it finds useful.
`

export async function openArena() {
  const base = mkdtempSync(join(tmpdir(), 'steward-attacks-'))
  const [home, person] = [join(base, 'home'), join(base, 'person')]
  mkdirSync(join(home, 'documents', '_tenant', 'agents'), { recursive: true })
  mkdirSync(person)
  writeFileSync(join(home, 'documents', '_tenant', 'agents', 'reader.md'), reader)
  writeFileSync(join(person, '.bashrc'), '# kept\n')
  const before = process.env['HOME']
  process.env['HOME'] = person
  const scripts = new Map<string, Script>()
  const model = await startScriptedModel({ keep: 5_000, otherwise: (request) => answer(scripts, request) })
  const sites = await openSites()
  let { steward, client } = await opened(home, model)
  // What the person configured is read when the hub opens.
  await client('PUT', '/api/settings/web.exempt', { value: [sites.listener, sites.pages] })
  await client('PUT', '/api/settings/web.search', { value: { engine: 'searxng', url: sites.pages } })
  await client('POST', '/api/secrets', { name: 'mail', value: hidden.secret, agents: ['reader'], hosts: ['https://mail.example.org'] })
  await steward.close()
  ;({ steward, client } = await opened(home, model))

  return {
    ...{ base, home, person, model, sites, scripts },
    get client() {
      return client
    },
    get address() {
      return steward.address
    },
    /** The same folder, a new life. */
    async reopen(): Promise<void> {
      await steward.close()
      ;({ steward, client } = await opened(home, model))
    },
    async close(): Promise<void> {
      await steward.close()
      await model.close()
      await sites.close()
      process.env['HOME'] = before
      rmSync(base, { recursive: true, force: true })
    },
  }
}

async function opened(home: string, model: ScriptedModel): Promise<{ steward: Steward; client: ReturnType<typeof openClient> }> {
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', STEWARD_HOME: home, STEWARD_PORT: '0', STEWARD_KEYRING: 'off', XDG_RUNTIME_DIR: home },
    ...{ STEWARD_MODEL: 'openai/scripted', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: hidden.provider },
  }
  const steward = await openSteward(await loadConfig({ env }), { log: silent, env })
  return { steward, client: openClient(steward.address, await steward.newCode()) }
}

/** By the last thing that the model was told; how far it is shows in the conversation that came with the request. */
function answer(scripts: ReadonlyMap<string, Script>, { body }: ScriptedRequest) {
  const messages = body.messages ?? []
  if ((body.tools ?? []).length === 0) return { text: 'They talked about a page.' }
  const at = messages.findLastIndex((one) => one.role === 'user' && keyIn(one.content) !== null)
  const key = keyIn(messages[at]?.content) ?? ''
  const script = scripts.get(key)
  if (script === undefined) return { text: 'Nothing to do.' }
  const done = messages.slice(at).filter((one) => one.role === 'assistant' && (one.tool_calls ?? []).length > 0).length
  const calls = script.rounds[done]
  return calls === undefined ? { text: script.end ?? doneWith(key) } : { calls }
}

/** The last words of a script that says nothing else. */
export const doneWith = (key: string) => `Done with ${key};`

function keyIn(content: unknown): string | null {
  return /.*\(trial ([\w.-]+)\)/s.exec(typeof content === 'string' ? content : JSON.stringify(content ?? ''))?.[1] ?? null
}

export type { Sites }
