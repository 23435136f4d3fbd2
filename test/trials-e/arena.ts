// Where the attacks of group E are played: a real hub as `steward start` opens it, spoken to over HTTP by its owner, with a model
// that obeys whatever it was scripted to obey. Around it lies what an attack wants: a listener that must hear nothing, files that
// must stay, and values that must be in no request.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedModel,
} from '../../src/models/scripted.ts'
import { openSteward, type Steward } from '../../src/steward.ts'
import { type Client, openClient } from './client.ts'
import { openSites } from './sites.ts'

/** What the model does when it is told `(trial KEY)`: the calls of each round, then its last words. */
export type Script = { readonly rounds: readonly (readonly ScriptedCall[] | ScriptedReply)[]; readonly end?: string }
type Options = {
  /** Beside the usual ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Asked first; null: the scripts say it. */
  readonly first?: (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply> | null
}

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

export async function openArena({ env = {}, first = () => null }: Options = {}) {
  const base = mkdtempSync(join(tmpdir(), 'steward-attacks-'))
  const [home, person] = [join(base, 'home'), join(base, 'person')]
  mkdirSync(join(home, 'documents', '_tenant', 'agents'), { recursive: true })
  mkdirSync(person)
  writeFileSync(join(home, 'documents', '_tenant', 'agents', 'reader.md'), reader)
  writeFileSync(join(person, '.bashrc'), '# kept\n')
  const before = process.env['HOME']
  process.env['HOME'] = person
  const scripts = new Map<string, Script>()
  const model = await startScriptedModel({ keep: 5_000, otherwise: async (request) => (await first(request)) ?? answer(scripts, request) })
  const lines: string[] = []
  const log: Log = (level, what, fields = {}) => void lines.push(JSON.stringify({ level, what, fields }))
  const open = () => opened(home, { model, env, log })
  const sites = await openSites()
  let { steward, client } = await open()
  // What the person configured is read when the hub opens.
  await client('PUT', '/api/settings/web.exempt', { value: [sites.listener, sites.pages] })
  await client('PUT', '/api/settings/web.search', { value: { engine: 'searxng', url: sites.pages } })
  await client('POST', '/api/secrets', { name: 'mail', value: hidden.secret, agents: ['reader'], hosts: ['https://mail.example.org'] })
  await steward.close()
  ;({ steward, client } = await open())

  return {
    ...{ base, home, person, model, sites, scripts },
    /** What the hub logged. */
    logged: lines as readonly string[],
    get client() {
      return client
    },
    get address() {
      return steward.address
    },
    /** The same folder, a new life. */
    async reopen(): Promise<void> {
      await steward.close()
      ;({ steward, client } = await open())
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

type Opening = { readonly model: ScriptedModel; readonly env: Readonly<Record<string, string>>; readonly log: Log }

async function opened(home: string, { model, env: more, log }: Opening): Promise<{ steward: Steward; client: Client }> {
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', STEWARD_HOME: home, STEWARD_PORT: '0', STEWARD_KEYRING: 'off', XDG_RUNTIME_DIR: home },
    ...{ STEWARD_MODEL: 'openai/scripted', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: hidden.provider },
    ...more,
  }
  const steward = await openSteward(await loadConfig({ env }), { log, env })
  return { steward, client: openClient(steward.address, await steward.newCode()) }
}

/** By the last thing that the model was told; how far it is shows in the conversation that came with the request. */
function answer(scripts: ReadonlyMap<string, Script>, { body }: ScriptedRequest): ScriptedReply {
  const messages = body.messages ?? []
  if ((body.tools ?? []).length === 0) return { text: 'They talked about a page.' }
  const at = messages.findLastIndex((one) => one.role === 'user' && keyIn(one.content) !== null)
  const key = keyIn(messages[at]?.content) ?? ''
  const script = scripts.get(key)
  if (script === undefined) return { text: 'Nothing to do.' }
  const done = messages.slice(at).filter((one) => one.role === 'assistant' && (one.tool_calls ?? []).length > 0).length
  const calls = script.rounds[done]
  if (calls === undefined) return { text: script.end ?? doneWith(key) }
  return 'length' in calls ? { calls } : calls
}

/** The last words of a script that says nothing else. */
export const doneWith = (key: string) => `Done with ${key};`

function keyIn(content: unknown): string | null {
  return /.*\(trial ([\w.-]+)\)/s.exec(typeof content === 'string' ? content : JSON.stringify(content ?? ''))?.[1] ?? null
}
