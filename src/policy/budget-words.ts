// A budget in plain words, English and German, and back: "3 EUR a day", "50 cents a run", "20 USD for project shop", "3 EUR am Tag". Pure.
import { InvalidInput } from '../base/errors.ts'
import type { Budget, BudgetScope, Micros } from './budget.ts'

export type BudgetWords = Pick<Budget, 'scope' | 'of' | 'limit' | 'currency'>

/** What a limit may be at most, in units of its currency: sums of millionths stay exact. */
const mostUnits = 1_000_000_000
const unit = 1_000_000

const examples = '"3 EUR a day", "10 dollars per session", "50 cents a run", "20 USD for project shop"'

/** Throws InvalidInput that says what was not understood and what is allowed. */
export function parseBudget(text: string): BudgetWords {
  const plain = text.normalize('NFKC').trim().replace(/\s+/g, ' ').replace(/[.!]$/, '')
  if (plain === '' || plain.length > 300) throw wrong(text, 'it must be one short sentence')
  const amount = amountIn(plain)
  if (amount === null) throw wrong(text, 'there is no amount with a currency in it')
  const rest = plain.slice(0, amount.start) + plain.slice(amount.end)
  const place = placeIn(rest.trim().replace(/\s+/g, ' '))
  if (place === null) throw wrong(text, 'for what it is was not understood: a day, a project, a session or a run')
  const limit = microsOf(amount, place.german)
  if (limit === null)
    throw wrong(text, `the amount ${amount.number} can't be read: allowed are 0 to ${mostUnits}, with at most six decimals`)
  return { scope: place.scope, of: place.of, limit, currency: amount.currency ?? (place.german ? 'EUR' : 'USD') }
}

function wrong(text: string, why: string): InvalidInput {
  return new InvalidInput(`${JSON.stringify(text.slice(0, 100))} is no budget: ${why}. Say it like ${examples}.`, { path: '/text' })
}

type Amount = {
  readonly start: number
  readonly end: number
  readonly number: string
  /** null: cents of the language's own money. */
  readonly currency: string | null
  readonly isCents: boolean
}

const numbers: readonly (readonly string[])[] = [
  ['zero', 'null'], ['one', 'eine', 'einen', 'ein'], ['two', 'zwei'], ['three', 'drei'], ['four', 'vier'], ['five', 'fünf'], ['six', 'sechs'],
  ['seven', 'sieben'], ['eight', 'acht'], ['nine', 'neun'], ['ten', 'zehn'], ['eleven', 'elf'], ['twelve', 'zwölf'],
] // biome-ignore format: a table
const moreNumbers: Readonly<Record<string, number>> = {
  fifteen: 15,
  fünfzehn: 15,
  twenty: 20,
  zwanzig: 20,
  thirty: 30,
  dreißig: 30,
  fifty: 50,
  fünfzig: 50,
  hundred: 100,
  hundert: 100,
}
const numberWords = new Map([...numbers.flatMap((words, n) => words.map((word) => [word, n] as const)), ...Object.entries(moreNumbers)])

const signs: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', US$: 'USD' }
const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:us[- ])?(?:dollars?|bucks?)$/i, 'USD'],
  [/^euros?$/i, 'EUR'],
  [/^(?:british )?(?:pounds?|pfund)$/i, 'GBP'],
  [/^(?:swiss )?(?:francs?|franken|schweizer franken)$/i, 'CHF'],
  [/^yen$/i, 'JPY'],
]
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

const digits = "\\d[\\d.,']*"
const number = `${digits}|(?:${[...numberWords.keys()].join('|')})`
const signBefore = new RegExp(`(?<![\\p{L}\\d])(?<sign>US\\$|[$€£¥]) ?(?<number>${digits})(?![\\p{L}\\d])`, 'u')
const nameBehind = new RegExp(
  `(?<![\\p{L}\\d.,-])(?<number>${number}) ?(?<name>US\\$|[$€£¥]|(?:us[- ]|british |swiss |schweizer )?\\p{L}+)(?![\\p{L}\\d])`,
  'giu',
)

function amountIn(text: string): Amount | null {
  const before = signBefore.exec(text)
  if (before !== null) {
    const { sign = '', number = '' } = before.groups ?? {}
    return { start: before.index, end: before.index + before[0].length, number, currency: signs[sign] ?? null, isCents: false }
  }
  for (const match of text.matchAll(nameBehind)) {
    const { name = '', number = '' } = match.groups ?? {}
    const money = moneyOf(name)
    if (money !== null) return { start: match.index, end: match.index + match[0].length, number, ...money }
  }
  return null
}

function moneyOf(name: string): Pick<Amount, 'currency' | 'isCents'> | null {
  if (/^(?:cents?|ct)$/i.test(name)) return { currency: null, isCents: true }
  if (/^euro-?cents?$/i.test(name)) return { currency: 'EUR', isCents: true }
  const code = name.toUpperCase()
  const currency = signs[code] ?? names.find(([look]) => look.test(name))?.[1] ?? (codes.has(code) ? code : null)
  return currency === null ? null : { currency, isCents: false }
}

/** null: no number, too many decimals, or too much. */
function microsOf({ number, isCents }: Amount, german: boolean): Micros | null {
  const word = numberWords.get(number.toLowerCase())
  const plain = word === undefined ? plainNumber(number, german) : String(word)
  const [, whole = '', decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(plain ?? '') ?? []
  const places = isCents ? 4 : 6
  if (whole === '' || whole.length > 10 || decimals.length > places) return null
  const micros = Number(whole) * 10 ** places + Number(decimals.padEnd(places, '0') || '0')
  return micros > mostUnits * unit ? null : micros
}

/** With a point before the decimals and nothing between thousands. Which sign is which says the number itself, else the language. */
function plainNumber(number: string, german: boolean): string | null {
  const text = number.replaceAll("'", '').replace(/[.,]$/, '')
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (last === -1) return text
  const sign = text[last] ?? '.'
  const other = sign === '.' ? ',' : '.'
  const isOnly = text.indexOf(sign) === last
  const isThousands = text.length - last - 1 === 3 && !text.includes(other) && (!isOnly || sign === (german ? '.' : ','))
  const grouped = isThousands ? sign : other
  const whole = isThousands ? text : text.slice(0, last)
  if (whole.includes(grouped) && !new RegExp(`^\\d{1,3}(?:\\${grouped}\\d{3})+$`).test(whole)) return null
  const joined = whole.replaceAll(grouped, '')
  return isThousands ? joined : `${joined}.${text.slice(last + 1)}`
}

type Place = Pick<Budget, 'scope' | 'of'> & { readonly german: boolean }

const lead =
  /^(?:(?:spend|use|allow|budget|limit|set|at most|no more than|not more than|up to|max\.?|maximum|only|gib|höchstens|maximal|nicht mehr als|bis zu|nur|of|is|to|von|ist|auf|:)\s*)+/i
const trail = /\s*(?:at most|max\.?|maximum|höchstens|maximal|aus(?:geben)?)$/i

/** `of` stands behind the word for it, in quotes or not. */
const places: readonly (readonly [RegExp, BudgetScope, boolean])[] = [
  [/^(?:(?:a|per|each|every|for (?:a|each|every|the)|in a|\/) ?day|daily|today)$/i, 'day', false],
  [/^(?:(?:am|pro|je|jeden|für den|für jeden|\/) ?tag|täglich|heute)$/i, 'day', true],
  [/^(?:a|per|each|every|for (?:a|each|every)|\/) ?(?:run|task|request)$/i, 'run', false],
  [/^(?:pro|je|jeden?|für (?:jeden|einen)|\/) ?(?:lauf|auftrag|durchlauf)$/i, 'run', true],
  [/^(?:a|per|each|every|for (?:a|each|every)|\/) ?(?:session|conversation|chat)$/i, 'session', false],
  [/^(?:pro|je|jeder?|für (?:jede|eine)|\/) ?(?:sitzung|gespräch|unterhaltung)$/i, 'session', true],
  [/^(?:a|per|each|every|for (?:a|each|every)|\/) ?project$/i, 'project', false],
  [/^(?:pro|je|jedes|für (?:jedes|ein)|\/) ?projekt$/i, 'project', true],
  [/^(?:for|in|on|to) (?:the )?session (?<of>ses_[0-9A-Z]{26})$/i, 'session', false],
  [/^(?:für|in) (?:die |der )?sitzung (?<of>ses_[0-9A-Z]{26})$/i, 'session', true],
  [/^(?:for|in|on|to) (?:the )?project (?<of>\S.{0,99})$/i, 'project', false],
  [/^(?:for|in|on|to) (?:the )?(?<of>\S{1,100}) project$/i, 'project', false],
  [/^(?:für|im|in|am) (?:das |dem )?projekt (?<of>\S.{0,99})$/i, 'project', true],
] // biome-ignore format: a table

function placeIn(rest: string): Place | null {
  const words = rest
    .replace(lead, '')
    .replace(trail, '')
    .replace(/^[,:]\s*|\s*[,:]$/g, '')
    .trim()
  for (const [look, scope, german] of places) {
    const match = look.exec(words)
    if (match === null) continue
    const of = match.groups?.['of']?.replace(/^["'„“](.*)["'“”]$/, '$1') ?? null
    return { scope, of, german }
  }
  return null
}

/** The same budget with so much more, in words that `set` takes. `by` is in millionths of the budget's currency. */
export function raised(budget: Budget, by: Micros): string {
  return wordsOf({ ...budget, limit: budget.limit + by })
}

/** "3.5 EUR a day". */
export function wordsOf({ limit, currency, scope, of }: BudgetWords): string {
  const what = of === null ? { day: 'a day', run: 'a run', session: 'per session', project: 'per project' }[scope] : `for ${scope} ${of}`
  return `${amountText(limit)} ${currency} ${what}`
}

/** Millionths as a plain number of units: 3500000 is "3.5". */
export function amountText(micros: Micros): string {
  const decimals = String(micros % unit)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${Math.floor(micros / unit)}${decimals === '' ? '' : `.${decimals}`}`
}
