// What is wrong with the chosen models, and what to do: for `steward doctor`. Asks only what costs nothing.
import { messageOf } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import type { Finding } from '../protocol/api.ts'
import { type ProviderName, secretOf } from './access.ts'
import { type Choice, type Chosen, chooseModels, fixedBy, type ModelSettings } from './choice.ts'
import { withoutKeys } from './fault.ts'
import { direct } from './library.ts'
import { tiers } from './message.ts'

const name = 'models'

/** One finding a chosen model; a warning when none is chosen. Never throws; takes at most `timeoutMs`. */
export async function inspectModels(
  settings: ModelSettings,
  given: { readonly chosen?: Chosen; readonly timeoutMs: number },
): Promise<readonly Finding[]> {
  try {
    const chains = chooseModels(settings, given.chosen)
    const different = new Map(tiers.flatMap((tier) => chains[tier]).map((choice) => [choice.name, choice]))
    if (different.size === 0) return [{ name, status: 'warn', detail: 'none is chosen', mend: 'Set STEWARD_MODEL to <provider>/<model>.' }]
    const signal = AbortSignal.timeout(given.timeoutMs)
    return await Promise.all([...different.values()].map((choice) => inspect(choice, signal)))
  } catch (error) {
    return [{ name, status: 'fail', detail: messageOf(error), mend: mendSetting(settings) }]
  }
}

function mendSetting(settings: ModelSettings): string {
  return tiers.some((tier) => fixedBy(tier, settings)) ? 'Mend the setting and start Steward again.' : 'Mend the setting.'
}

async function inspect(choice: Choice, signal: AbortSignal): Promise<Finding> {
  if (choice.missing !== null) return fail(choice.missing, 'Set the key, or choose another model.')
  try {
    return await looks[choice.provider](choice, signal)
  } catch (error) {
    return unreachable(choice, error)
  }
}

function unreachable(choice: Choice, error: unknown): Finding {
  const detail = `the provider of ${choice.name} does not answer at ${shown(choice)}: ${whyOf(error)}`
  if (choice.provider === 'ollama') return fail(detail, 'Start Ollama (ollama serve), or set OLLAMA_HOST to where it runs.')
  return fail(
    detail,
    choice.isLocal ? 'Start the model server, or mend its address.' : 'Look at the network and at the address of the provider.',
  )
}

const looks: Record<ProviderName, (choice: Choice, signal: AbortSignal) => Promise<Finding>> = {
  openai: openAiList,
  'openai-compatible': openAiList,
  openrouter: openRouter,
  anthropic: (choice, signal) =>
    ask(choice, signal, {
      path: `/models/${encodeURIComponent(choice.model)}`,
      headers: { 'x-api-key': choice.key ?? '', 'anthropic-version': '2023-06-01' },
    }),
  google: (choice, signal) =>
    ask(choice, signal, { path: `/models/${encodeURIComponent(choice.model)}`, headers: { 'x-goog-api-key': choice.key ?? '' } }),
  ollama,
}

type Question = { readonly path: string; readonly headers: Record<string, string> }

async function ask(choice: Choice, signal: AbortSignal, { path, headers }: Question): Promise<Finding> {
  const answer = await direct(`${choice.baseUrl}${path}`, { headers, signal })
  const body = (await answer.text()).slice(0, 2_000)
  if (answer.status === 404) return noSuchModel(choice, [])
  return byStatus(choice, answer.status, body) ?? ok(choice)
}

/** null: nothing is wrong with it. Google says 400 to a wrong key. */
function byStatus(choice: Choice, status: number, body: string): Finding | null {
  if (status === 401 || status === 403 || (status === 400 && /api[ _]?key/i.test(body))) return wrongKey(choice)
  if (status === 402) return fail(`the account of ${choice.name} has no money left`, 'Top it up at the provider, or choose another model.')
  if (status === 429)
    return {
      name,
      status: 'warn',
      detail: `${choice.name} takes no more requests for the moment`,
      mend: 'Wait, or put another model behind it in the chain.',
    }
  return status >= 400
    ? fail(
        `the provider of ${choice.name} answers with ${status}: ${withoutKeys(body, choice.key).slice(0, 120)}`,
        'Look at its address and its status page.',
      )
    : null
}

/** OpenRouter shows its list to everybody; its page of the key does not. */
async function openRouter(choice: Choice, signal: AbortSignal): Promise<Finding> {
  const answer = await direct(`${choice.baseUrl}/key`, { headers: bearer(choice), signal })
  const wrong = byStatus(choice, answer.status, await answer.text())
  return wrong ?? openAiList(choice, signal)
}

async function openAiList(choice: Choice, signal: AbortSignal): Promise<Finding> {
  const answer = await direct(`${choice.baseUrl}/models`, { headers: bearer(choice), signal })
  const body = await answer.text()
  // A small server may have no list at all.
  if (answer.status === 404 && choice.provider === 'openai-compatible') return ok(choice)
  const wrong = byStatus(choice, answer.status, body)
  if (wrong !== null) return wrong
  const names = namesIn(body, { list: 'data', key: 'id' })
  return names.length === 0 || names.includes(choice.model) ? ok(choice) : noSuchModel(choice, names)
}

async function ollama(choice: Choice, signal: AbortSignal): Promise<Finding> {
  const answer = await direct(`${choice.baseUrl}/api/tags`, { signal })
  const body = await answer.text()
  const wrong = byStatus(choice, answer.status, body)
  if (wrong !== null) return wrong
  const names = namesIn(body, { list: 'models', key: 'name' })
  if (names.some((one) => one === choice.model || one === `${choice.model}:latest`)) return ok(choice)
  const there = names.length === 0 ? 'it has none yet' : `it has ${names.slice(0, 8).join(', ')}`
  return fail(`Ollama answers, but ${choice.model} is not there: ${there}`, `Get it with: ollama pull ${choice.model}`)
}

function namesIn(body: string, { list, key }: { readonly list: string; readonly key: string }): readonly string[] {
  const value: unknown = parse(body)
  const items = isObject(value) ? value[list] : null
  if (!Array.isArray(items)) return []
  return items.flatMap((item: unknown) => (isObject(item) && typeof item[key] === 'string' ? [item[key]] : []))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function bearer({ key }: Choice): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

function ok(choice: Choice): Finding {
  return { name, status: 'ok', detail: `${choice.name} answers` }
}

function wrongKey(choice: Choice): Finding {
  const secret = secretOf(choice.provider)
  return fail(
    `the provider of ${choice.name} refuses the key`,
    `Get a new key there, and put it into the environment or the secret store (${secret}).`,
  )
}

function noSuchModel(choice: Choice, names: readonly string[]): Finding {
  const near = names.filter((one) => one.slice(0, 4) === choice.model.slice(0, 4)).slice(0, 5)
  return fail(
    `the provider of ${choice.name} knows no such model`,
    near.length > 0 ? `Choose another, for example ${near.join(', ')}.` : 'Choose another model.',
  )
}

function fail(detail: string, mend: string): Finding {
  return { name, status: 'fail', detail, mend }
}

function shown({ baseUrl }: Choice): string {
  return baseUrl.replace(/\/\/[^@/]*@/, '//***@')
}

/** fetch says "fetch failed" and keeps the reason as its cause. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return messageOf(error)
  return 'code' in cause ? String(cause.code) : cause.message
}
