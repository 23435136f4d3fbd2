// A client of EDDI's against a real hub over HTTP: the whole program in this process, a folder of its own, a port of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import { openSteward } from '../../src/steward.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Found = any
export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Found
  readonly bytes: Uint8Array
}
export type Asking = { readonly type?: string; readonly headers?: Record<string, string> }

export type Client = {
  readonly address: string
  /** A path below /eddi, or of /api. A string goes as it is, as text/plain where no type is given; bytes as a ZIP. */
  ask(method: string, path: string, body?: unknown, asking?: Asking): Promise<Answered>
  /** The id of what is made there. */
  make(path: string, value: unknown): Promise<string>
  /** An agent of those steps, deployed: its id. */
  agent(name: string, steps: readonly unknown[], more?: object): Promise<string>
  /** The id of a new conversation. */
  start(agent: string, context?: object): Promise<string>
  say(conversation: string, input: string, context?: object): Promise<Answered>
  /** The hub stops and starts again. */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** `exempt`: origins that the person named in web.exempt; a hub that starts knows them. `more`: of its environment. */
export async function openClient(exempt: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-eddi-'))
  const env = { HOME: folder, STEWARD_HOME: join(folder, 'home'), STEWARD_PORT: '0', XDG_RUNTIME_DIR: folder, ...more }
  const open = async () => openSteward(await loadConfig({ env }), { log: () => {}, env: { ...process.env, ...env } })
  let steward = await open()
  let cookie = await loggedIn(steward)
  const reopen = async () => {
    await steward.close()
    steward = await open()
    cookie = await loggedIn(steward)
  }
  if (exempt.length > 0) {
    const headers = { cookie, 'content-type': 'application/json' }
    await fetch(`${steward.address}/api/settings/web.exempt`, { method: 'PUT', headers, body: JSON.stringify({ value: exempt }) })
    await reopen()
  }

  const ask: Client['ask'] = async (method, path, body, { type, headers = {} } = {}) => {
    const isBytes = body instanceof Uint8Array
    const given =
      body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body) }
    const plain = isBytes ? 'application/zip' : typeof body === 'string' ? 'text/plain' : 'application/json'
    const response = await fetch(`${steward.address}${path.startsWith('/api/') ? '' : '/eddi'}${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': type ?? plain }), ...headers },
      ...given,
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    return { status: response.status, headers: response.headers, text, json: parsed(text), bytes }
  }
  const idAt = (location: string | null) => new URL(location ?? 'http://nowhere/').pathname.split('/').at(-1) ?? ''
  const make: Client['make'] = async (path, value) => {
    const { status, headers, text } = await ask('POST', path, value)
    if (status !== 201) throw new Error(`${path} answers ${status}: ${text}`)
    return idAt(headers.get('location'))
  }
  return {
    get address() {
      return steward.address
    },
    ask,
    make,
    async agent(name, workflowSteps, more = {}) {
      const workflow = await make('/workflowstore/workflows', { workflowSteps })
      const uri = `eddi://ai.labs.workflow/workflowstore/workflows/${workflow}?version=1`
      const agent = await make('/agentstore/agents', { workflows: [uri], ...more })
      await ask('PATCH', `/descriptorstore/descriptors/${agent}?version=1`, { operation: 'SET', document: { name } })
      const deployed = await ask('POST', `/administration/production/deploy/${agent}?version=1&waitForCompletion=true`)
      if (deployed.status !== 200) throw new Error(deployed.text)
      return agent
    },
    async start(agent, context) {
      const { headers, status, text } = await ask('POST', `/agents/${agent}/start?environment=production&userId=somebody`, context)
      if (status !== 201) throw new Error(`start answers ${status}: ${text}`)
      return idAt(headers.get('location'))
    },
    say: (conversation, input, context = {}) => ask('POST', `/agents/${conversation}`, { input, context }),
    reopen,
    async close() {
      await steward.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function loggedIn({ address, newCode }: Awaited<ReturnType<typeof openSteward>>): Promise<string> {
  const body = JSON.stringify({ code: await newCode() })
  const login = await fetch(`${address}/api/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

function parsed(text: string): Found {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// ---- steps

export type Word = readonly [word: string, expressions: string]

const parserType = 'eddi://ai.labs.parser'

/** Parser, rules, output, templating and property of these, under the older names of the stores. */
export async function stepsOf(client: Client, given: { readonly dictionary: unknown; readonly rules: unknown; readonly output: unknown }) {
  const dictionary = await client.make('/regulardictionarystore/regulardictionaries', given.dictionary)
  const rules = await client.make('/behaviorstore/behaviorsets', given.rules)
  const output = await client.make('/outputstore/outputsets', given.output)
  const uri = `eddi://ai.labs.regulardictionary/regulardictionarystore/regulardictionaries/${dictionary}?version=1`
  return [
    {
      type: parserType,
      config: {},
      extensions: {
        dictionaries: [
          ...['integer', 'decimal', 'punctuation', 'email', 'time', 'ordinalNumber'].map((one) => ({
            type: `${parserType}.dictionaries.${one}`,
          })),
          { type: `${parserType}.dictionaries.regular`, config: { uri } },
        ],
        corrections: [
          { type: `${parserType}.corrections.levenshtein`, config: { distance: '2' } },
          { type: `${parserType}.corrections.mergedTerms` },
        ],
      },
    },
    { type: 'eddi://ai.labs.behavior', config: { uri: `eddi://ai.labs.behavior/behaviorstore/behaviorsets/${rules}?version=1` } },
    { type: 'eddi://ai.labs.output', config: { uri: `eddi://ai.labs.output/outputstore/outputsets/${output}?version=1` } },
    { type: 'eddi://ai.labs.templating' },
    { type: 'eddi://ai.labs.property', config: {} },
  ]
}

export function dictionary(...words: readonly Word[]) {
  return { words: words.map(([word, expressions]) => ({ word, expressions, frequency: 0 })), phrases: [] }
}

/** Each fires for one expression, or (`start`) when a conversation begins. */
export function rules(...all: readonly (readonly [when: string, ...actions: string[]])[]) {
  const behaviorRules = all.map(([when, ...actions]) => ({
    name: `on ${when}`,
    actions,
    conditions: [
      when === 'start'
        ? { type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }
        : { type: 'inputmatcher', configs: { expressions: when } },
    ],
  }))
  return { behaviorGroups: [{ name: 'all', executionStrategy: 'executeAll', behaviorRules }] }
}

export function outputs(...all: readonly (readonly [action: string, text: string])[]) {
  return {
    outputSet: all.map(([action, text]) => ({ action, timesOccurred: 0, outputs: [{ valueAlternatives: [{ type: 'text', text }] }] })),
  }
}

/** Texts of the last step. */
export function textsOf({ json }: Answered): readonly string[] {
  const { output = [] } = json.conversationOutputs.at(-1) ?? {}
  return output.map((one: { text: string }) => one.text)
}
