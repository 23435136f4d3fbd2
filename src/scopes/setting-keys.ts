// The settings whose meaning the hub knows, each with what its value may be. Other keys may hold any JSON.
import { z } from 'zod'
import { InvalidInput } from '../base/errors.ts'
import { canonical, type Json, jsonCopy } from '../base/json.ts'
import { checkWord, hasControl, quote } from './names.ts'

type Known = { readonly schema: z.ZodType; readonly allowed: string }

const language: Known = {
  schema: z.string().regex(/^\s*$|^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/),
  allowed: 'a language tag like "en" or "pt-BR", or blank',
}
const flag: Known = { schema: z.boolean(), allowed: 'true or false' }
const count = (from: number, to: number): Known => ({ schema: z.int().min(from).max(to), allowed: `a whole number from ${from} to ${to}` })
const name = /^[a-z][a-z-]*\/\S+$/
const chain: Known = {
  schema: z.array(z.string().regex(name)).max(8),
  allowed: 'a list of up to 8 <provider>/<model>, the first choice first',
}
const price = z.number().min(0)

const knownSettings: Readonly<Record<string, Known>> = {
  'chat.language': language,
  'content.language': language,
  'webui.language': language,
  'documents.archive.enabled': flag,
  'documents.archive.minIntervalMs': count(0, 31_536_000_000),
  routing: { schema: z.enum(['direct', 'hint']), allowed: '"direct" or "hint"' },
  'causes.maxDepth': count(1, 100),
  'causes.maxHops': count(1, 10_000),
  'models.light': chain,
  'models.standard': chain,
  'models.deep': chain,
  'models.local': { schema: z.array(z.url({ protocol: /^https?$/ })), allowed: 'a list of addresses like http://192.168.1.5:11434' },
  'models.prices': {
    schema: z.record(z.string().regex(name), z.looseObject({ input: price, output: price })),
    allowed: 'an object, for each <provider>/<model> its input and output (and cached, written) in dollars per million tokens',
  },
  'models.windows': {
    schema: z.record(z.string().regex(name), z.int().min(256)),
    allowed: 'an object, for each <provider>/<model> its tokens',
  },
  'exec.sandbox': { schema: z.enum(['required', 'preferred', 'off']), allowed: '"required", "preferred" or "off"' },
  'budget.rates': {
    schema: z.record(z.string().regex(/^[A-Z]{3}$/), z.number().positive()),
    allowed: 'an object, for each currency what one unit of it is worth in dollars: {"EUR": 1.1}',
  },
  'web.search': {
    schema: z.strictObject({
      engine: z.enum(['searxng', 'brave', 'tavily']),
      url: z.url({ protocol: /^https?$/ }).optional(),
      keySecret: z
        .string()
        .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
        .optional(),
    }),
    allowed: 'an object with "engine" (searxng, brave or tavily), and perhaps "url" and "keySecret" (the name of a secret)',
  },
  'web.exempt': {
    schema: z.array(z.string().regex(/^https?:\/\/[^/?#@\s]+$/)).max(100),
    allowed: 'a list of origins like http://192.168.1.5:8080',
  },
  'time.zone': { schema: z.string().refine(isZone), allowed: 'an IANA time zone like "Europe/Amsterdam"' },
  'policy.mode': { schema: z.enum(['read-only', 'ask', 'auto']), allowed: '"read-only", "ask" or "auto"' },
  'policy.approvalHours': count(1, 720),
}

/** The words for a value's type; the last two are encrypted and not ours. */
const settingTypes = ['STRING', 'INT', 'LONG', 'DOUBLE', 'BOOLEAN', 'PASSWORD', 'HIDDEN'] as const
export type SettingType = (typeof settingTypes)[number]

export function checkKey(key: unknown): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= 200 && key.trim() === key && !hasControl(key)) return key
  throw new InvalidInput(`The key ${quote(key)} is not possible: allowed are 1 to 200 characters in one line, no space around.`, {
    path: '/key',
  })
}

/** The value, when it is one that the key may hold. null takes the setting away at its place. Throws InvalidInput. */
export function checkValue(key: string, value: Json | undefined, type?: unknown): Json {
  const as = type === undefined ? undefined : checkWord(type, settingTypes, '/type')
  if (as === 'PASSWORD' || as === 'HIDDEN' || (isSecret(key) && !isReference(value))) {
    throw new InvalidInput(`The setting ${quote(key)} is a secret: secrets belong to the secret store.`, { path: as ? '/type' : '/key' })
  }
  if (value === undefined) throw new InvalidInput('A setting needs a value; null takes it away.', { path: '/value' })
  if (value === null) return null
  if (canonical(value).length > 65_536) throw new InvalidInput('A setting holds at most 64 kB.', { path: '/value' })
  if (as !== undefined && !typed[as](value)) throw new InvalidInput(`${quote(value)} is not of the type ${as}.`, { path: '/value' })
  const known = Object.hasOwn(knownSettings, key) ? knownSettings[key] : undefined
  if (known === undefined || known.schema.safeParse(value).success) return jsonCopy(value)
  throw new InvalidInput(`${quote(value)} is not possible for ${key}: allowed is ${known.allowed}.`, { path: '/value' })
}

const typed: Record<Exclude<SettingType, 'PASSWORD' | 'HIDDEN'>, (value: Json) => boolean> = {
  STRING: (value) => typeof value === 'string',
  INT: (value) => Number.isSafeInteger(value) && Number(value) === (Number(value) | 0),
  LONG: (value) => Number.isSafeInteger(value),
  DOUBLE: (value) => typeof value === 'number',
  BOOLEAN: (value) => typeof value === 'boolean',
}

/** By the last word of the key: `mail.password`, `openai.apiKey`, `github_token`. */
function isSecret(key: string): boolean {
  return /(^|[._-])(password|passwd|secret|api[_-]?key|(access|refresh|auth)?[_-]?token|private[_-]?key)$/i.test(key)
}

function isReference(value: Json | undefined): boolean {
  return value === null || value === undefined || (typeof value === 'string' && /^\{\{secret:[^{}]+\}\}$/.test(value))
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
