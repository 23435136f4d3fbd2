import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { Budget, Budgets, Micros } from '../policy/budget.ts'
import { openCatalogue } from './catalogue.ts'
import { costOf, estimate, mostOf, outputLimit } from './cost.ts'
import type { ModelReply, ModelRequest } from './message.ts'
import { openModels } from './models.ts'
import { hold, type ScriptedModel, type ScriptedReply, startScriptedModel } from './scripted.ts'

const none = { prices: new Map(), windows: new Map(), learned: new Map() }
const catalogue = openCatalogue(() => none)
const gpt = catalogue.priceOf('openai/gpt-5-mini')
const pro = catalogue.priceOf('google/gemini-2.5-pro')
const haiku = catalogue.priceOf('anthropic/claude-haiku-4-5')
const plain = { cached: null, written: null }

describe('what a call costs', () => {
  test.each([
    ['plain', gpt, { ...plain, input: 1_000_000, output: 1_000_000 }, 2_250_000],
    ['a part from the cache', gpt, { input: 1_000_000, output: 0, cached: 900_000, written: null }, 25_000 + 22_500],
    ['a part put into the cache', haiku, { input: 1_000_000, output: 0, cached: null, written: 1_000_000 }, 1_250_000],
    ['dearer when long', pro, { ...plain, input: 300_000, output: 10_000 }, 750_000 + 150_000],
    ['upward to a whole millionth', gpt, { ...plain, input: 1, output: 0 }, 1],
    ['nothing counted', gpt, { ...plain, input: null, output: 5 }, null],
    ['no price', null, { ...plain, input: 5, output: 5 }, null],
  ])('%s', (_, price, tokens, cost) => {
    expect(costOf(price, tokens)).toBe(cost)
  })

  test('at most: nothing is cached, everything is put there', () => {
    expect(haiku && mostOf(haiku, { input: 1_000_000, output: 1_000_000 })).toBe(1_250_000 + 5_000_000)
    expect(pro && mostOf(pro, { input: 300_000, output: 0 })).toBe(750_000)
  })

  test('an estimate is never below a third of the characters', () => {
    const request = { messages: [{ role: 'user' as const, text: 'x'.repeat(3_000) }], tools: [] }
    expect(estimate(request)).toBeGreaterThanOrEqual(1_000)
  })

  test('what is given and the answer fit together', () => {
    const window = catalogue.windowOf('openai/gpt-4o')
    expect(outputLimit({ asked: undefined, input: 1_000, isPaid: true }, window)).toBe(16_384)
    expect(outputLimit({ asked: undefined, input: 120_000, isPaid: true }, window)).toBe(8_000)
    expect(outputLimit({ asked: 50_000, input: 1_000, isPaid: true }, window)).toBe(16_384)
    expect(outputLimit({ asked: undefined, input: 200_000, isPaid: true }, window)).toBe(1_024)
    expect(outputLimit({ asked: undefined, input: 1_000, isPaid: false }, window)).toBeNull()
  })

  test('dated and newest versions cost like the model, other members of the family do not', () => {
    expect(catalogue.priceOf('openai/gpt-5-2025-08-07')).toEqual(catalogue.priceOf('openai/gpt-5'))
    expect(catalogue.priceOf('anthropic/claude-sonnet-4-5-20250929')?.input).toBe(3)
    expect(catalogue.priceOf('openrouter/anthropic/claude-sonnet-4.5')?.input).toBe(3)
    expect(catalogue.priceOf('openai/gpt-5-pro')).toBeNull()
    expect(catalogue.priceOf('openai-compatible/gpt-5')).toBeNull()
  })
})

let server: ScriptedModel | null = null
afterEach(() => server?.close())

type Ledger = Pick<Budgets, 'reserve' | 'settle' | 'lost'> & {
  readonly book: (string | Micros | null)[]
  readonly kept: { readonly model: string; readonly cost: Micros }[]
  left: number
}

const budget: Budget = { id: 'b1', user: 'ada', scope: 'day', of: null, limit: 1_000, currency: 'USD', text: '3 EUR a day' }

function ledger(left: number): Ledger {
  const book: (string | Micros | null)[] = []
  let id = 0
  const own: Ledger = {
    book,
    kept: [],
    left,
    async reserve(_, most) {
      if (most > own.left) return { ok: false, budget, spent: 0, wanted: most }
      own.left -= most
      book.push(most)
      return { ok: true, id: `r${++id}` }
    },
    settle: (one, cost) => void book.push(one, cost),
    lost: async (_, what) => void own.kept.push(what),
  }
  return own
}

const spender = { user: 'ada', project: 'shop', session: 's', run: 'r' }

async function ask(
  budgets: Ledger,
  reply: ScriptedReply,
  given: { signal?: AbortSignal; request?: Partial<ModelRequest> } = {},
): Promise<ModelReply> {
  server = await startScriptedModel({ otherwise: () => reply })
  const name = 'google/gemini-2.5-flash'
  const providers = { GOOGLE_GENERATIVE_AI_BASE_URL: `${server.origin}/v1beta`, GOOGLE_GENERATIVE_AI_API_KEY: 'AIza' }
  const models = openModels({ models: { light: name, standard: name, deep: name }, providers }, { clock: systemClock, retries: 0, budgets })
  const request = { tier: 'standard' as const, messages: [{ role: 'user' as const, text: 'hello' }], tools: [], spender, ...given.request }
  return models.stream(request, { signal: given.signal ?? new AbortController().signal, onText: () => {}, priority: 'person' })
}

describe('[M10] the money for a call', () => {
  test('is reserved at its most, and settled at what it was', async () => {
    const budgets = ledger(1_000_000)
    const reply = await ask(
      budgets,
      { text: 'hi', usage: { prompt_tokens: 1_000, completion_tokens: 100 } },
      { request: { maxOutputTokens: 1_000 } },
    )
    expect(reply).toMatchObject({ ok: true, cost: 550 })
    // 7 tokens in by estimate at 0.3, 1,000 out at 2.5.
    expect(budgets.book).toEqual([2_503, 'r1', 550])
    expect(server?.requests[0]?.body).toMatchObject({ generationConfig: { maxOutputTokens: 1_000 } })
  })

  test('that a budget does not have is not spent: nothing is sent', async () => {
    const budgets = ledger(10)
    const reply = await ask(budgets, { text: 'hi' })
    expect(reply).toMatchObject({ ok: false, code: 'budget', message: expect.stringMatching(/"3 EUR a day".*Raise it, or stop/) })
    expect(reply).toMatchObject({ budget: { id: 'b1', text: '3 EUR a day', spent: 0, wanted: 40_963 } })
    expect(server?.count).toBe(0)
  })

  test.each<[string, ScriptedReply, Micros | null]>([
    ['refused: nothing', { status: 429 }, 0],
    ['broken in the middle: nobody knows', { text: 'half', end: 'cut' }, null],
    ['without an end: nobody knows', { text: 'half', finish: null }, null],
    ['without a count: nobody knows', { text: 'whole' }, null],
  ])('%s', async (_, reply, cost) => {
    const budgets = ledger(1_000_000)
    const made = await ask(budgets, reply)
    expect(budgets.book).toEqual([expect.any(Number), 'r1', cost])
    // Whatever it is counted with is told, so that it outlives the machine: with the answer, or as a fact of its own.
    const [most] = budgets.book
    if (made.ok) expect(made.cost).toBe(most)
    else expect(budgets.kept).toEqual(cost === null ? [{ model: 'google/gemini-2.5-flash', cost: most }] : [])
    if (!made.ok) expect(made.lost ?? 0).toBe(cost === null ? most : 0)
  })

  test('a stop in the middle counts, a stop before does not', async () => {
    const stopped = ledger(1_000_000)
    expect(await ask(stopped, { text: 'x' }, { signal: AbortSignal.abort() })).toMatchObject({ code: 'aborted' })
    expect(stopped.book).toEqual([])
    const controller = new AbortController()
    const gate = hold()
    const inMiddle = ledger(1_000_000)
    const asked = ask(inMiddle, { text: ['x', gate], end: 'hang' }, { signal: controller.signal })
    await gate.reached
    controller.abort()
    await asked
    expect(inMiddle.book).toEqual([expect.any(Number), 'r1', null])
    expect(inMiddle.kept).toEqual([{ model: 'google/gemini-2.5-flash', cost: inMiddle.book[0] }])
  })

  test('is nobody’s when nobody pays, and nothing on this machine', async () => {
    const budgets = ledger(0)
    server = await startScriptedModel()
    const name = 'ollama/x'
    const models = openModels(
      { models: { light: name, standard: name, deep: name }, providers: { OLLAMA_HOST: server.origin } },
      { clock: systemClock, budgets },
    )
    const reply = await models.stream(
      { tier: 'light', messages: [{ role: 'user', text: 'x' }], tools: [], spender },
      { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
    )
    expect(reply).toMatchObject({ ok: true, cost: 0 })
    expect(budgets.book).toEqual([])
  })
})
