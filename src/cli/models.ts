// `steward models`: what there is, which tier uses what, a try of one, the choice.
import { systemClock } from '../base/clock.ts'
import { agentList } from '../protocol/api-agents.ts'
import { models, tested } from '../protocol/api-models.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result, table, WrongUsage } from './output.ts'
import { lasted, relative } from './when.ts'

type View = ReturnType<typeof models.parse>
type Model = View['tiers'][number]['chain'][number]
type Tested = ReturnType<typeof tested.parse>

const tiers = ['light', 'standard', 'deep']
/** A model on this machine may have to be loaded first. */
const testMs = 200_000

/** With who uses which tier, and so which model. */
export async function listModels(call: Call, { project }: { readonly project?: string } = {}): Promise<Result> {
  const hub = await findHub(call)
  const [view, { items }] = await Promise.all([fetchModels(hub), hub.call('GET', '/api/agents', agentList, { query: { project } })])
  const agents = items.map(({ name, tier }) => ({ agent: name, tier, model: modelOf(view, tier) }))
  return { value: { ...view, agents }, text: textOf(view, { agents, now: systemClock.now() }) }
}

type Using = { readonly agent: string; readonly tier: string; readonly model: string | null }

/** The first choice of that tier. */
function modelOf({ tiers: all }: View, tier: string): string | null {
  return all.find((one) => one.tier === tier)?.chain[0]?.model ?? null
}

/** Without a name: every model that a tier uses. */
export async function testModels(call: Call, name: string | undefined): Promise<Result> {
  if (name !== undefined) checkName(name)
  const hub = await findHub(call)
  const names = name === undefined ? used(await fetchModels(hub)) : [name]
  if (names.length === 0) throw new WrongUsage('No tier has a model yet. Name one to test: steward models test PROVIDER/MODEL')
  const results: Tested[] = []
  for (const model of names) results.push(await hub.call('POST', '/api/models/test', tested, { body: { model }, timeoutMs: testMs }))
  const isWell = results.every((one) => one.ok)
  return {
    value: name === undefined ? results : results[0],
    text: results.map(testedText).join('\n'),
    code: isWell ? exitCodes.done : exitCodes.failed,
  }
}

/** `list`: models with commas between, the first choice first; `none` takes the tier's away. */
export async function useModels(call: Call, tier: string, list: readonly string[]): Promise<Result> {
  if (!tiers.includes(tier)) throw new WrongUsage(`There is no tier "${tier}"; allowed are ${tiers.join(', ')}.`)
  const named = list
    .flatMap((part) => part.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const chain = named.length === 1 && named[0] === 'none' ? [] : named
  if (named.length === 0) throw new WrongUsage('Name at least one model, or none: steward models use standard anthropic/NAME,ollama/NAME')
  for (const name of chain) checkName(name)
  const hub = await findHub(call)
  const view = await hub.call('POST', '/api/models', models, { body: { tier, chain } })
  const now = view.tiers.find((one) => one.tier === tier)?.chain ?? []
  const faults = now.flatMap((one) => (one.why === null ? [] : [`\n${one.model} can't be called now: ${one.why}`]))
  const said =
    now.length === 0 ? `Tier ${tier} has no model any more.` : `Tier ${tier} uses ${now.map((one) => one.model).join(', then ')}.`
  return { value: view, text: said + faults.join('') }
}

function fetchModels(hub: Hub): Promise<View> {
  return hub.call('GET', '/api/models', models)
}

function checkName(name: string): void {
  if (!/^[^\s/]+\/\S+$/.test(name))
    throw new WrongUsage(`"${oneLine(name, 60)}" is no model; allowed is PROVIDER/MODEL, for example ollama/llama3.2.`)
}

function used({ tiers: all }: View): readonly string[] {
  return [...new Set(all.flatMap((one) => one.chain.map((model) => model.model)))]
}

function textOf(view: View, { agents, now }: { readonly agents: readonly Using[]; readonly now: number }): string {
  const rows = view.tiers.flatMap(({ tier, chain, fixedBy }) => {
    if (chain.length === 0) return [[tier, 'none', '', '', '']]
    return chain.map((model, at) => [
      at === 0 ? tier : '  then',
      model.model,
      windowOf(model),
      priceOf(model),
      stateOf(model, at === 0 ? fixedBy : null, now),
    ])
  })
  const providers = view.providers.map((one) => [
    one.provider,
    `key: ${one.key}`,
    one.isLocal ? 'this machine' : one.baseUrl,
    one.key === 'missing' ? missing(one.why ?? '') : (one.why ?? 'can be called'),
  ])
  const { date, currency } = view.prices
  return [
    table(['tier', 'model', 'window', 'price', 'state'], rows, ''),
    '',
    table(['tier', 'model', 'agents'], usedBy(agents), 'No agents.'),
    '',
    table(
      ['provider', 'key', 'where', 'state'],
      providers,
      'No provider was found. Set a key (ANTHROPIC_API_KEY, ...) or OLLAMA_HOST and start again.',
    ),
    '',
    `Prices in ${currency} for a million tokens in / out, of ${date}. Choose with: steward models use TIER MODEL[,MODEL...]`,
    ...view.faults.map((fault) => `! ${fault}`),
  ].join('\n')
}

function usedBy(agents: readonly Using[]): readonly (readonly string[])[] {
  return tiers.flatMap((tier) => {
    const own = agents.filter((one) => one.tier === tier)
    return own.length === 0 ? [] : [[tier, own[0]?.model ?? 'none', own.map(({ agent }) => agent).join(', ')]]
  })
}

/** The hub's sentence names the variable. */
function missing(why: string): string {
  const [variable] = /[A-Z][A-Z_]{5,}/.exec(why) ?? []
  return variable === undefined ? why : `not set up: ${variable} is not set`
}

function windowOf({ window: { window, maxOutput } }: Model): string {
  return `${thousands(window)} in, ${thousands(maxOutput)} out`
}

function thousands(tokens: number): string {
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens)
}

function priceOf({ price, isLocal }: Model): string {
  if (isLocal) return 'free'
  const [input, output] = [price?.['input'], price?.['output']]
  return typeof input === 'number' && typeof output === 'number' ? `${input} / ${output}` : 'not known'
}

function stateOf({ rest, why }: Model, fixedBy: string | null, now: number): string {
  const fixed = fixedBy === null ? '' : `, set by ${fixedBy}`
  if (why !== null) return `can't be called: ${oneLine(why, 120)}${fixed}`
  return rest === null ? `ready${fixed}` : `rests, again ${relative(rest.until, now)} (${rest.code}: ${oneLine(rest.message, 80)})${fixed}`
}

function testedText({ ok, model, ms, said, message, code }: Tested): string {
  if (ok) return `ok    ${model} answered in ${lasted(ms)}${said ? `: ${oneLine(said, 60)}` : ''}`
  return `FAIL  ${model}: ${message ?? code ?? 'no reason was given'}`
}
