// Numbers of the calculator: fractions of whole numbers as long as that is possible, then the machine's own. So 0.1 + 0.2 is 0.3 and a
// third times three is one; roots, sines and what grows too long are floats. Pure.

/** `d` is positive and has no common factor with `n`. */
export type Fraction = { readonly n: bigint; readonly d: bigint }
export type Value = Fraction | number

/** Longer fractions become floats: no expression can make numbers that take time. */
const mostBits = 4_096
const mostDecimals = 60
const tooLong = 1n << BigInt(mostBits)

export function isFraction(value: Value): value is Fraction {
  return typeof value !== 'number'
}

export function whole(n: bigint): Fraction {
  return { n, d: 1n }
}

export function fraction(n: bigint, d: bigint): Value {
  if (d === 0n) return n === 0n ? Number.NaN : n > 0n ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  const common = divisor(n, d) * (d < 0n ? -1n : 1n)
  const made = { n: n / common, d: d / common }
  return size(made.n) > tooLong || made.d > tooLong ? float(made) : made
}

/** As it is written: 12, .5, 1.5e-3. null: no number, or an exponent beyond 300. */
export function parseNumber(text: string): Value | null {
  const form = /^(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (!form || (form[1] === '' && form[2] === '')) return null
  const [, before = '', after = '', power = '0'] = form
  const exponent = Number(power) - after.length
  if (Math.abs(Number(power)) > 300) return null
  const digits = BigInt(before + after || '0')
  return exponent >= 0 ? fraction(digits * 10n ** BigInt(exponent), 1n) : fraction(digits, 10n ** BigInt(-exponent))
}

export function float(value: Value): number {
  if (!isFraction(value)) return value
  const { n, d } = value
  const direct = Number(n) / Number(d)
  if (Number.isFinite(direct) && direct !== 0) return direct
  if (n === 0n) return 0
  // Both are too long for a float each; what counts is the difference of their lengths.
  const shift = Math.max(0, Math.max(size(n).toString(2).length, d.toString(2).length) - 1_000)
  return Number(n >> BigInt(shift)) / Number(d >> BigInt(shift))
}

export function negative(value: Value): Value {
  return isFraction(value) ? { n: -value.n, d: value.d } : -value
}

export type Operator = '+' | '-' | '*' | '/' | '%' | '^'

export function apply(operator: Operator, a: Value, b: Value): Value {
  if (isFraction(a) && isFraction(b)) return exact(operator, a, b)
  const [x, y] = [float(a), float(b)]
  const results: Record<Operator, () => number> = {
    '+': () => x + y,
    '-': () => x - y,
    '*': () => x * y,
    '/': () => x / y,
    '%': () => x % y,
    '^': () => x ** y,
  }
  return results[operator]()
}

function exact(operator: Operator, a: Fraction, b: Fraction): Value {
  const results: Record<Operator, () => Value> = {
    '+': () => fraction(a.n * b.d + b.n * a.d, a.d * b.d),
    '-': () => fraction(a.n * b.d - b.n * a.d, a.d * b.d),
    '*': () => fraction(a.n * b.n, a.d * b.d),
    '/': () => fraction(a.n * b.d, a.d * b.n),
    '%': () => (b.n === 0n ? Number.NaN : fraction((a.n * b.d) % (b.n * a.d), a.d * b.d)),
    '^': () => power(a, b),
  }
  return results[operator]()
}

function power(base: Fraction, exponent: Fraction): Value {
  const times = size(exponent.n)
  const bits = BigInt(Math.max(size(base.n).toString(2).length, base.d.toString(2).length))
  if (exponent.d !== 1n || times * bits > BigInt(mostBits)) return float(base) ** float(exponent)
  const [n, d] = [base.n ** times, base.d ** times]
  return exponent.n < 0n ? fraction(d, n) : fraction(n, d)
}

/** The exact root of a square; null where there is none. */
export function exactRoot({ n, d }: Fraction): Fraction | null {
  const [over, under] = [rootOf(n), rootOf(d)]
  return over === null || under === null ? null : { n: over, d: under }
}

function rootOf(n: bigint): bigint | null {
  if (n < 0n) return null
  if (n < 2n) return n
  let guess = 1n << BigInt(Math.ceil(n.toString(2).length / 2))
  for (let next = (guess + n / guess) / 2n; next < guess; next = (guess + n / guess) / 2n) guess = next
  return guess * guess === n ? guess : null
}

/** The largest whole number that is not above it. */
export function floor({ n, d }: Fraction): bigint {
  return n >= 0n || n % d === 0n ? n / d : n / d - 1n
}

/** Whole numbers without a fraction, decimals as long as they end, other numbers with about 16 digits. */
export function show(value: Value): string {
  if (!isFraction(value)) return Object.is(value, -0) ? '0' : String(value)
  if (value.d === 1n) return value.n.toString()
  const decimals = decimalsOf(value.d)
  if (decimals === null) return String(float(value))
  const digits = ((size(value.n) * 10n ** BigInt(decimals)) / value.d).toString().padStart(decimals + 1, '0')
  const sign = value.n < 0n ? '-' : ''
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** How many decimals it takes; null for those that don't end, or not soon. */
function decimalsOf(d: bigint): number | null {
  let rest = d
  const count = (factor: bigint) => {
    let times = 0
    for (; rest % factor === 0n; times++) rest /= factor
    return times
  }
  const most = Math.max(count(2n), count(5n))
  return rest === 1n && most <= mostDecimals ? most : null
}

function divisor(a: bigint, b: bigint): bigint {
  let [x, y] = [size(a), size(b)]
  while (y > 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}

function size(n: bigint): bigint {
  return n < 0n ? -n : n
}
