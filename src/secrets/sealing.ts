// Takes secrets out of texts and of JSON: what is unmistakably one first, then registered values in the rest.

import { type Found, findSecrets } from './find.ts'
import { inForm } from './forms.ts'
import { type Matcher, referenceTo } from './matcher.ts'
import { isSecretName } from './names.ts'

export type FoundValue = { readonly value: string; readonly kind: string; readonly everywhere: boolean }

export type SealingOptions = {
  readonly matcher: Pick<Matcher, 'replace'>
  /** Of a value that is kept already. */
  readonly nameOf: (value: string) => string | null
  /** Keeps values that were found, each under its name; durable when it resolves, and the names in the same order. */
  readonly keep: (found: readonly FoundValue[]) => Promise<readonly string[]>
}

export type Sealing = {
  seal(text: string): Promise<string>
  sealJson<T>(value: T, options?: { readonly names: boolean }): Promise<T>
  mask(text: string): string
}

export function openSealing(options: SealingOptions): Sealing {
  const { matcher } = options
  async function seal(text: string): Promise<string> {
    const found = findSecrets(text)
    if (found.length === 0) return matcher.replace(text)
    const values = found.map((one) => placed(text, one))
    const names = await namesOf(options, values)
    return woven(matcher, text, { found, instead: (i) => referenceTo(names[i] ?? '', values[i]?.form ?? null) })
  }
  return {
    seal,
    sealJson: (value, { names } = { names: false }) => sealJson(value, { seal, keep: names ? (found) => namesOf(options, found) : null }),
    mask(text) {
      const found = findSecrets(text)
      if (found.length === 0) return matcher.replace(text)
      const name = (i: number) => options.nameOf(placed(text, found[i]).value)
      return woven(matcher, text, { found, instead: (i) => maskOf(name(i)) })
    },
  }
}

function maskOf(name: string | null): string {
  return name === null ? '[secret]' : referenceTo(name)
}

type Woven = { readonly found: readonly Found[]; readonly instead: (i: number) => string }

function woven(matcher: Pick<Matcher, 'replace'>, text: string, { found, instead }: Woven): string {
  let out = ''
  let done = 0
  for (const [i, one] of found.entries()) {
    out += matcher.replace(text.slice(done, one.start)) + instead(i)
    done = one.end
  }
  return out + matcher.replace(text.slice(done))
}

type Placed = FoundValue & { readonly form: string | null }

/** A key block inside a JSON text has its line ends escaped: it is the same key. */
function placed(text: string, found: Found | undefined): Placed {
  if (found === undefined) return { value: '', kind: '', everywhere: false, form: null }
  const { kind, everywhere } = found
  const raw = text.slice(found.start, found.end)
  if (kind !== 'private-key' || raw.includes('\n')) return { value: raw, kind, everywhere, form: null }
  const value = raw.replaceAll('\\r', '\r').replaceAll('\\n', '\n')
  const isEscaped = value !== raw && inForm(value, 'json') === raw
  return { value: isEscaped ? value : raw, kind, everywhere, form: isEscaped ? 'json' : null }
}

/** Each value is kept once, however often it stands there. */
async function namesOf({ nameOf, keep }: SealingOptions, values: readonly FoundValue[]): Promise<readonly string[]> {
  const fresh = new Map(values.flatMap((one) => (nameOf(one.value) === null ? [[one.value, one]] : [])))
  const names = fresh.size === 0 ? [] : await keep([...fresh.values()])
  const made = new Map([...fresh.keys()].map((value, i) => [value, names[i] ?? '']))
  return values.map(({ value }) => made.get(value) ?? nameOf(value) ?? '')
}

type JsonWay = {
  readonly seal: (text: string) => Promise<string>
  /** Not null: what stands under a secret's name is one, whatever it looks like. */
  readonly keep: ((found: readonly FoundValue[]) => Promise<readonly string[]>) | null
}

/** Every string of a JSON value, names of members too; the same value when there is nothing to take out. */
async function sealJson<T>(value: T, { seal, keep }: JsonWay): Promise<T> {
  const texts = new Set<string>()
  const named = new Set<string>()
  eachText(value, '', (text, key) => (keep !== null && isSecretMember(key, text) ? named : texts).add(text), texts)
  if (texts.size + named.size === 0) return value
  const sealed = new Map<string, string>()
  for (const text of texts) sealed.set(text, await seal(text))
  const found = [...named].map((text) => ({ value: text, kind: 'field', everywhere: false }))
  const names = keep === null || found.length === 0 ? [] : await keep(found)
  if (found.length === 0 && [...sealed].every(([text, other]) => text === other)) return value
  const references = new Map([...named].map((text, i) => [text, referenceTo(names[i] ?? '')]))
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (typeof member === 'string') {
      return (keep !== null && isSecretMember(key, member) ? references.get(member) : sealed.get(member)) ?? member
    }
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [sealed.get(name) ?? name, inner]))
  })
}

/** Every string of it, with the name that it stands under; names themselves go to `names`. What writes itself is looked at as written. */
function eachText(value: unknown, key: string, text: (text: string, key: string) => void, names: Set<string>): void {
  if (typeof value === 'string') return text(value, key)
  if (typeof value !== 'object' || value === null) return
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return eachText(JSON.parse(JSON.stringify(value) ?? 'null'), key, text, names)
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name)
    eachText(member, name, text, names)
  }
}

/** What is a reference already, or nothing, is left alone. */
function isSecretMember(key: string, text: string): boolean {
  return text !== '' && isSecretName(key) && !/^\s*(?:[A-Za-z]+\s+)?\{\{secret:[^{}]+\}\}\s*$/.test(text)
}
