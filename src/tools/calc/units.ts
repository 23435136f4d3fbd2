// Units of measure, each as an exact multiple of its kind's base unit. Pure.

import type { Answer } from './evaluate.ts'
import { apply, fraction, negative, parseNumber, show, type Value, whole } from './exact.ts'

type Unit = { readonly kind: string; readonly factor: Value }

/** Of each kind: names with "|" between them, and how many base units one is. The first one is the base. */
const table: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  length: [
    ['m|meter|meters|metre|metres', '1'],
    ['km|kilometer|kilometers|kilometre|kilometres', '1000'],
    ['cm|centimeter|centimeters|centimetre|centimetres', '0.01'],
    ['mm|millimeter|millimeters|millimetre|millimetres', '0.001'],
    ['um|micrometer|micrometers', '0.000001'],
    ['in|inch|inches', '0.0254'],
    ['ft|foot|feet', '0.3048'],
    ['yd|yard|yards', '0.9144'],
    ['mi|mile|miles', '1609.344'],
    ['nmi|nauticalmile|nauticalmiles', '1852'],
  ],
  mass: [
    ['kg|kilogram|kilograms', '1'],
    ['g|gram|grams', '0.001'],
    ['mg|milligram|milligrams', '0.000001'],
    ['t|ton|tons|tonne|tonnes', '1000'],
    ['lb|lbs|pound|pounds', '0.45359237'],
    ['oz|ounce|ounces', '0.028349523125'],
    ['st|stone|stones', '6.35029318'],
  ],
  volume: [
    ['l|liter|liters|litre|litres', '1'],
    ['ml|milliliter|milliliters|millilitre|millilitres', '0.001'],
    ['cl|centiliter|centiliters', '0.01'],
    ['dl|deciliter|deciliters', '0.1'],
    ['m3|cubicmeter|cubicmeters', '1000'],
    ['gal|gallon|gallons', '3.785411784'],
    ['qt|quart|quarts', '0.946352946'],
    ['pt|pint|pints', '0.473176473'],
    ['cup|cups', '0.2365882365'],
    ['floz|fluidounce|fluidounces', '0.0295735295625'],
    ['tbsp|tablespoon|tablespoons', '0.01478676478125'],
    ['tsp|teaspoon|teaspoons', '0.00492892159375'],
  ],
  area: [
    ['m2|squaremeter|squaremeters', '1'],
    ['km2|squarekilometer|squarekilometers', '1000000'],
    ['ha|hectare|hectares', '10000'],
    ['ft2|sqft|squarefoot|squarefeet', '0.09290304'],
    ['acre|acres', '4046.8564224'],
    ['mi2|squaremile|squaremiles', '2589988.110336'],
  ],
  time: [
    ['s|sec|second|seconds', '1'],
    ['ms|millisecond|milliseconds', '0.001'],
    ['min|minute|minutes', '60'],
    ['h|hr|hour|hours', '3600'],
    ['d|day|days', '86400'],
    ['week|weeks', '604800'],
  ],
  speed: [
    ['m/s|mps', '1'],
    ['mph', '0.44704'],
    ['ft/s|fps', '0.3048'],
  ],
  data: [
    ['byte|bytes', '1'],
    ['bit|bits', '0.125'],
    ['kb|kilobyte|kilobytes', '1000'],
    ['mb|megabyte|megabytes', '1000000'],
    ['gb|gigabyte|gigabytes', '1000000000'],
    ['tb|terabyte|terabytes', '1000000000000'],
    ['kib|kibibyte|kibibytes', '1024'],
    ['mib|mebibyte|mebibytes', '1048576'],
    ['gib|gibibyte|gibibytes', '1073741824'],
    ['tib|tebibyte|tebibytes', '1099511627776'],
  ],
  energy: [
    ['j|joule|joules', '1'],
    ['kj|kilojoule|kilojoules', '1000'],
    ['cal|calorie|calories', '4.184'],
    ['kcal|kilocalorie|kilocalories', '4184'],
    ['wh|watthour|watthours', '3600'],
    ['kwh|kilowatthour|kilowatthours', '3600000'],
  ],
  pressure: [
    ['pa|pascal|pascals', '1'],
    ['kpa|kilopascal|kilopascals', '1000'],
    ['bar|bars', '100000'],
    ['atm|atmosphere|atmospheres', '101325'],
  ],
}

/** Those of which the exact value is no decimal. */
const thirds: readonly (readonly [string, string, Value])[] = [
  ['speed', 'km/h|kmh|kph', fraction(5n, 18n)],
  ['speed', 'kn|knot|knots', fraction(463n, 900n)],
]

const units: ReadonlyMap<string, Unit> = new Map([
  ...Object.entries(table).flatMap(([kind, all]) =>
    all.flatMap(([names, factor]) => names.split('|').map((name) => [name, { kind, factor: parseNumber(factor) ?? 1 }] as const)),
  ),
  ...thirds.flatMap(([kind, names, factor]) => names.split('|').map((name) => [name, { kind, factor }] as const)),
])

const temperatures: Readonly<Record<string, string>> = {
  c: 'celsius', celsius: 'celsius', centigrade: 'celsius', f: 'fahrenheit', fahrenheit: 'fahrenheit', k: 'kelvin', kelvin: 'kelvin',
} // biome-ignore format: one line reads better

/** "100 celsius = 212 fahrenheit", or `Error: ...` with what is allowed. Never throws. Upper and lower case are the same. */
export function convert(given: { readonly value: string; readonly from: string; readonly to: string }): Answer {
  const sign = given.value.trim().startsWith('-')
  const size = parseNumber(given.value.trim().replace(/^[+-]/, ''))
  if (size === null) return failed(`${JSON.stringify(given.value.slice(0, 40))} is no number`)
  const value = sign ? negative(size) : size
  const found = degrees(value, given) ?? multiple(value, given)
  return typeof found === 'string'
    ? failed(found)
    : { ok: true, text: `${show(value)} ${given.from.trim()} = ${show(found.value)} ${given.to.trim()}` }
}

type Pair = { readonly from: string; readonly to: string }

/** null where one of the two is no temperature. */
function degrees(value: Value, { from, to }: Pair): { readonly value: Value } | null {
  const [a, b] = [temperatures[key(from)], temperatures[key(to)]]
  if (a === undefined || b === undefined) return null
  const zero = fraction(27315n, 100n)
  const nine = fraction(9n, 5n)
  const celsius = a === 'fahrenheit' ? apply('/', apply('-', value, whole(32n)), nine) : a === 'kelvin' ? apply('-', value, zero) : value
  if (b === 'celsius') return { value: celsius }
  return { value: b === 'kelvin' ? apply('+', celsius, zero) : apply('+', apply('*', celsius, nine), whole(32n)) }
}

function multiple(value: Value, { from, to }: Pair): { readonly value: Value } | string {
  const [a, b] = [units.get(key(from)), units.get(key(to))]
  if (!a || !b) return `there is no unit ${JSON.stringify((a ? to : from).slice(0, 40))}; units are ${listed()}`
  if (a.kind !== b.kind) return `${from} is a ${a.kind} and ${to} a ${b.kind}; only units of one kind can be converted`
  return { value: apply('/', apply('*', value, a.factor), b.factor) }
}

function listed(): string {
  const kinds = Object.entries(table).map(([kind, all]) => `${kind}: ${all.map(([names]) => names.split('|')[0]).join(', ')}`)
  return `temperature: celsius, fahrenheit, kelvin; ${kinds.join('; ')}; speed also km/h, knots`
}

function key(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
}

function failed(why: string): Answer {
  return { ok: false, text: `Error: ${why}.` }
}
