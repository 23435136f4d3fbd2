// What is known of models: window, most output, price. The one place that says how much fits into a model and what it costs.
// The table (catalogue.json) is data with a date; the settings models.windows and models.prices correct it; what a provider says
// in an error or about itself lowers a window for good.
import { z } from 'zod'
import { InvalidInput } from '../base/errors.ts'
import type { Json } from '../base/json.ts'
import table from './catalogue.json' with { type: 'json' }

const perMillion = z.number().min(0).max(100_000)
const rate = { input: perMillion, cached: perMillion.optional(), written: perMillion.optional(), output: perMillion }
const price = z.strictObject({ ...rate, above: z.strictObject({ tokens: z.int().min(1), ...rate }).optional() })
const known = z.strictObject({ window: z.int().min(1), maxOutput: z.int().min(1), ...price.shape })
const tokens = z.int().min(256).max(100_000_000)

/** Dollars per million tokens. `cached`: read from the provider's cache; `written`: put into it; absent: like other input. */
export type Price = z.infer<typeof price>
type Known = z.infer<typeof known>

/** Tokens. `from`: which of the sources was the smallest. */
export type Window = {
  readonly window: number
  readonly maxOutput: number
  readonly from: 'setting' | 'table' | 'learned' | 'default'
}

export const priceTable = { date: table.date, currency: table.currency, source: table.source }

/** What one unit of a currency is worth in dollars at least, for whom nobody said better (setting budget.rates). */
export const tableRates: Readonly<Record<string, number>> = table.rates

const models: ReadonlyMap<string, Known> = new Map(Object.entries(z.record(z.string(), known).parse(table.models)))

/** For a model that no table knows: what today's servers can do at least. A machine's own model is given less. */
const unknown = { window: 64_000, maxOutput: 8_192 }
const unknownLocal = { window: 32_768, maxOutput: 8_192 }

export type Corrections = {
  readonly prices: ReadonlyMap<string, Price>
  readonly windows: ReadonlyMap<string, number>
  readonly learned: ReadonlyMap<string, number>
}

export type Catalogue = {
  /** `model`: <provider>/<model>. Never fails: what nobody knows gets a careful default. */
  windowOf(model: string): Window
  /** null: nobody knows. Models of this machine are not asked for here. */
  priceOf(model: string): Price | null
}

export function openCatalogue(corrections: () => Corrections): Catalogue {
  return {
    windowOf(model) {
      const { windows, learned } = corrections()
      const found = find(model)
      const usual = found ?? (model.startsWith('ollama/') ? unknownLocal : unknown)
      const set = windows.get(model)
      // A setting may raise a default, but not what a table or a provider knows.
      const first: Window = { ...usual, from: found ? 'table' : 'default' }
      const second = set !== undefined && (!found || set < first.window) ? { ...first, window: set, from: 'setting' as const } : first
      const said = learned.get(model)
      const last = said !== undefined && said < second.window ? { ...second, window: said, from: 'learned' as const } : second
      return { ...last, maxOutput: Math.min(last.maxOutput, Math.max(256, Math.floor(last.window / 2))) }
    },
    priceOf: (model) => corrections().prices.get(model) ?? find(model) ?? null,
  }
}

/** A dated or newest version of a known model counts as it; another member of its family does not, it may cost twelve times as much. */
function find(model: string): Known | null {
  const name = model.startsWith('openrouter/') ? throughRouter(model.slice('openrouter/'.length)) : model
  return models.get(name) ?? models.get(name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/, '')) ?? null
}

/** The router writes `anthropic/claude-sonnet-4.5`. Its free and its special routes have other prices. */
function throughRouter(name: string): string {
  return name.startsWith('anthropic/') ? name.replace(/(\d)\.(\d)/g, '$1-$2') : name
}

/** Of the setting models.prices: `{"openai/gpt-9": {"input": 1.25, "cached": 0.1, "output": 10}}`. Throws InvalidInput. */
export function readPrices(value: Json): ReadonlyMap<string, Price> {
  return read('models.prices', value, {
    schema: price,
    allowed: 'for each <provider>/<model>: input and output, and cached and written where they differ, in dollars per million tokens',
  })
}

/** Of the settings models.windows and models.learned: `{"ollama/llama3.2": 65536}`. Throws InvalidInput. */
export function readWindows(key: string, value: Json): ReadonlyMap<string, number> {
  return read(key, value, { schema: tokens, allowed: 'for each <provider>/<model> a number of tokens, 256 or more' })
}

function read<T>(
  key: string,
  value: Json,
  { schema, allowed }: { readonly schema: z.ZodType<T>; readonly allowed: string },
): ReadonlyMap<string, T> {
  if (value === null) return new Map()
  const parsed = z.record(z.string().regex(/^[a-z][a-z-]*\/\S+$/), schema).safeParse(value)
  if (parsed.success) return new Map(Object.entries(parsed.data))
  const issue = parsed.error.issues[0]
  const at = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
  throw new InvalidInput(`${key} is wrong${at}: ${issue?.message ?? 'no object'}. Allowed is an object, ${allowed}.`, { path: key })
}
