// Which model a task asks, and how: its `type` and `parameters` in the words of the models room.
//
// Y113  The model that a task names is asked before the tier's; an own key and an own address have an effect for that call only. The key is
//       resolved inside of the step, for the host it goes to; the address passes the guard of everything that goes out.
// Y114  A model that is not set up here is told once a conversation, and the tier answers; a number that is none has no effect.
import { InvalidInput, StewardError } from '../../../base/errors.ts'
import type { ModelRequest, OwnAccount } from '../../../models/message.ts'
import { modelNumbers, modelParameters, modelProviders } from '../../../pipelines/configurations/checks.ts'
import { withSecretReferences } from '../../../pipelines/references.ts'
import { openWay } from '../../../tools/mcp/mcp.ts'
import { isExempt } from '../../../tools/web/web.ts'
import type { Scene, TaskRooms } from '../scene.ts'

export type ModelPlan = {
  /** `<provider>/<model>`; null: the tier of the agent. */
  readonly model: string | null
  readonly provider: string
  /** References to secrets, never recorded. */
  readonly key: string
  readonly baseUrl: string
  /** The address stands in the configuration itself. */
  readonly isFixed: boolean
  readonly how: How
}
export type How = Pick<ModelRequest, 'temperature' | 'topP' | 'maxOutputTokens' | 'timeoutMs'>

export type Naming = { readonly type: string; readonly parameters: { readonly [name: string]: string } }

export function modelPlan(scene: Scene, { type, parameters }: Naming): ModelPlan {
  const first = (...names: readonly string[]) => {
    const raw = names.flatMap((name) => (Object.hasOwn(parameters, name) ? [parameters[name] ?? ''] : []))[0] ?? ''
    return parameterText(scene, raw)
  }
  const kind = type.trim().toLowerCase()
  const provider = (Object.hasOwn(modelProviders, kind) ? modelProviders[kind] : undefined) ?? ''
  const model = first(...modelParameters)
  return {
    model: provider === '' || model === '' ? null : `${provider}/${model}`,
    provider,
    key: first('apiKey'),
    baseUrl: first('baseUrl', 'baseURL'),
    isFixed: !/[{}$]/.test(parameters['baseUrl'] ?? parameters['baseURL'] ?? ''),
    how: howOf(first),
  }
}

function howOf(first: (...names: readonly string[]) => string): How {
  const read = (of: keyof How) => {
    const { names, least, most } = modelNumbers[of]
    const text = first(...names)
    const value = text === '' ? Number.NaN : Number(text)
    return value >= least && value <= most ? value : undefined
  }
  const [temperature, topP, tokens, timeoutMs] = [read('temperature'), read('topP'), read('maxOutputTokens'), read('timeoutMs')]
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(tokens === undefined ? {} : { maxOutputTokens: Math.floor(tokens) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

function parameterText(scene: Scene, raw: string): string {
  const text = withSecretReferences(raw.trim()).replace(/\$\{vars:([A-Za-z0-9_.-]{1,100})\}/g, "{vars['$1']}")
  return text.includes('{') ? scene.render(text).trim() : text
}

/** `notice`: for the person, why it is not asked as it was named. `fault`: what the guard had against the way, once it was gone. */
export type Called = {
  readonly request: Pick<ModelRequest, 'model' | 'account'> & How
  readonly notice: string | null
  fault(): string | null
}

/** Inside of a step only: the key's value stands in it. */
export async function calledWith(rooms: TaskRooms, scene: Scene, plan: ModelPlan): Promise<Called> {
  const { model, how } = plan
  const plain = { request: { ...(model === null ? {} : { model }), ...how }, notice: null, fault: () => null }
  if (plan.key === '' && plan.baseUrl === '') return plain
  if (model === null) return { ...plain, notice: 'The task has a key or an address of its own but names no model, so the hub answers.' }
  const key = await keyOf(scene, plan)
  if ('missing' in key) return { ...plain, notice: `The own key of this agent for ${model} can't be used: ${key.missing}` }
  const way = wayTo(rooms, plan, key.value)
  const account: OwnAccount = {
    provider: plan.provider,
    ...(plan.baseUrl === '' ? {} : { baseUrl: plan.baseUrl, fetch: way.fetch }),
    ...(key.value === '' ? {} : { key: key.value }),
  }
  return { request: { model, account, ...how }, notice: null, fault: way.fault }
}

async function keyOf(
  scene: Scene,
  { key, baseUrl, provider }: ModelPlan,
): Promise<{ readonly value: string } | { readonly missing: string }> {
  if (key === '') return { value: '' }
  const address = baseUrl === '' ? usualAddresses[provider] : baseUrl
  const host = address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined
  try {
    const value = (await scene.resolve(key, host)).trim()
    return value.includes('{{secret:') ? { missing: 'there is no secret store.' } : { value }
  } catch (thrown) {
    if (thrown instanceof StewardError) return { missing: thrown.message }
    throw thrown
  }
}

/** Where a key without an address goes, for secrets that may go to certain hosts only. */
const usualAddresses: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  openrouter: 'https://openrouter.ai',
}

function wayTo({ outgoing }: TaskRooms, { baseUrl }: ModelPlan, key: string) {
  const { reach } = outgoing
  const way = openWay({ reach, target: () => ({ url: baseUrl, headersFor: async () => ({}) }), broken: () => {} })
  let open: string | null = null
  return {
    fetch: async (url: string, init?: RequestInit): Promise<Response> => {
      const to = new URL(url)
      if (key !== '' && to.protocol !== 'https:' && !isExempt(to, reach)) {
        open = `A key is sent over https only; ${to.origin} is not encrypted.`
        throw new InvalidInput(open)
      }
      return way.fetch(url, init)
    },
    fault: () => open ?? way.fault?.text ?? null,
  }
}
