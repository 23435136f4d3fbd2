// The functions and constants that an expression may name. Exact where that is possible.
import { apply, exactRoot, type Fraction, float, floor, fraction, isFraction, negative, type Value, whole } from './exact.ts'

export const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

type Known = { readonly least: number; readonly most: number; run(given: readonly Value[]): Value }

const one = (run: (value: Value) => Value): Known => ({ least: 1, most: 1, run: ([value = 0]) => run(value) })
const plain = (run: (value: number) => number): Known => one((value) => neat(run(float(value))))
const rounding = (exact: (value: Fraction) => bigint, other: (value: number) => number): Known =>
  one((value) => (isFraction(value) ? whole(exact(value)) : other(value)))
const least = (values: readonly Value[], sign: 1 | -1): Value =>
  values.reduce((best, value) => (sign * float(apply('-', value, best)) < 0 ? value : best))

const roundHalf = ({ n, d }: Fraction) => floor({ n: 2n * n + d, d: 2n * d })

const known: Readonly<Record<string, Known>> = {
  abs: one((value) => (float(value) < 0 ? negative(value) : value)),
  sign: one(sign),
  signum: one(sign),
  ceil: rounding(({ n, d }) => -floor({ n: -n, d }), Math.ceil),
  floor: rounding(floor, Math.floor),
  trunc: rounding(({ n, d }) => n / d, Math.trunc),
  round: { least: 1, most: 2, run: ([value = 0, digits]) => round(value, digits) },
  sqrt: one((value) => (isFraction(value) ? exactRoot(value) : null) ?? Math.sqrt(float(value))),
  cbrt: plain(Math.cbrt),
  pow: { least: 2, most: 2, run: ([base = 0, exponent = 0]) => apply('^', base, exponent) },
  exp: plain(Math.exp),
  log: plain(Math.log),
  ln: plain(Math.log),
  log10: plain(Math.log10),
  log2: plain(Math.log2),
  sin: plain(Math.sin),
  cos: plain(Math.cos),
  tan: plain(Math.tan),
  asin: plain(Math.asin),
  acos: plain(Math.acos),
  atan: plain(Math.atan),
  atan2: { least: 2, most: 2, run: ([y = 0, x = 0]) => neat(Math.atan2(float(y), float(x))) },
  sinh: plain(Math.sinh),
  cosh: plain(Math.cosh),
  tanh: plain(Math.tanh),
  hypot: { least: 1, most: 50, run: (values) => neat(Math.hypot(...values.map(float))) },
  toRadians: plain((degrees) => (degrees * Math.PI) / 180),
  toDegrees: plain((radians) => (radians * 180) / Math.PI),
  min: { least: 1, most: 200, run: (values) => least(values, 1) },
  max: { least: 1, most: 200, run: (values) => least(values, -1) },
  sum: { least: 1, most: 200, run: total },
  avg: { least: 1, most: 200, run: (values) => apply('/', total(values), whole(BigInt(values.length))) },
}

export const functionNames: readonly string[] = Object.keys(known)

const byName: ReadonlyMap<string, Known> = new Map(Object.entries(known).map(([name, found]) => [name.toLowerCase(), found]))

/** Upper and lower case are the same. Throws an Error that says what was wrong. */
export function callFunction(name: string, given: readonly Value[]): Value {
  const found = byName.get(name.toLowerCase())
  if (!found) throw new Error(`there is no function "${name.slice(0, 40)}"; allowed are ${functionNames.join(', ')}`)
  const { least: from, most: to } = found
  if (given.length < from || given.length > to) {
    throw new Error(`${name} takes ${from === to ? from : `${from} to ${to}`} numbers, not ${given.length}`)
  }
  return found.run(given)
}

function sign(value: Value): Value {
  const found = Math.sign(float(value))
  return Number.isNaN(found) ? found : whole(BigInt(found))
}

function round(value: Value, digits: Value | undefined): Value {
  if (digits === undefined) return isFraction(value) ? whole(roundHalf(value)) : Math.round(value)
  const places = float(digits)
  if (!Number.isInteger(places) || Math.abs(places) > 30) throw new Error('round takes a whole number of digits from -30 to 30')
  const scale = places >= 0 ? fraction(10n ** BigInt(places), 1n) : fraction(1n, 10n ** BigInt(-places))
  const scaled = apply('*', value, scale)
  return apply('/', isFraction(scaled) ? whole(roundHalf(scaled)) : Math.round(scaled), scale)
}

function total(values: readonly Value[]): Value {
  return values.reduce((sum, value) => apply('+', sum, value))
}

/** A float that is a whole number is one. */
function neat(value: number): Value {
  return Number.isSafeInteger(value) ? whole(BigInt(value)) : value
}
