// Settings (CONTRACT section 2). Owns: which there are, where each value comes from, what is allowed. Leaves: what they mean to
// the rooms that get them from steward.ts. The order is: `--home` > environment > $STEWARD_HOME/steward.yaml > default.
//
// C1  An empty variable counts as not set.
// C2  An unknown key of the file is a warning; a wrong value is an error that names key, value and what is allowed.
// C3  A secret is shown nowhere. A provider whose key is present is offered; only STEWARD_MODEL chooses one.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { InvalidInput } from './base/errors.ts'
import { type LogLevel, logLevels } from './base/log.ts'
import { readYaml } from './base/yaml.ts'
import type { Tier } from './models/message.ts'

export type Origin = 'command line' | 'environment' | 'file' | 'default' | 'not set'
/** One line of `steward config`: the value as a person may see it. */
export type Shown = {
  readonly name: string
  readonly key: string | null
  readonly value: string | null
  readonly from: Origin
  readonly meaning: string
}

export type Database = { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: string }

export type Config = {
  /** Absolute. */
  readonly home: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly database: Database
  readonly nats: string | null
  /** `<provider>/<model>`; null: the person has chosen none. */
  readonly models: Readonly<Record<Tier, string | null>>
  /** What the variables of providers say, by their names; only those that are set. */
  readonly providers: Readonly<Record<string, string>>
  /** Of the settings that are secrets, by their names; only those that are set. */
  readonly secrets: Readonly<Record<string, string>>
  /** null: none was given. */
  readonly passphrase: string | null
  readonly keyring: 'auto' | 'off'
  readonly trustLoopback: boolean
  readonly log: LogLevel
  readonly shown: readonly Shown[]
  readonly warnings: readonly string[]
}

type Setting = {
  readonly name: string
  /** Its key in steward.yaml; null: can't stand there. */
  readonly key: string | null
  readonly fallback: string | null
  readonly meaning: string
  readonly allowed: string
  readonly isAllowed: (value: string) => boolean
  readonly secret?: true
  /** It is a provider's: the models room reads it. */
  readonly provider?: true
}

const anyText = { allowed: 'any text without line breaks', isAllowed: (value: string) => !/[\r\n\0]/.test(value) }
const webAddress = {
  allowed: 'an address that starts with http:// or https://',
  isAllowed: (value: string) => isUrl(value, ['http:', 'https:']),
}
const chosen = {
  allowed: '<provider>/<model>, for example ollama/llama3.2, or several with commas between, the first choice first',
  isAllowed: (value: string) => value.split(',').every((one) => /^[a-z][a-z0-9_-]*\/\S+$/.test(one.trim())),
}
/** Of steward.yaml. */
const mostCharacters = 64_000
const loopback = ['127.0.0.1', '::1', 'localhost']
const yes = ['1', 'true', 'on', 'yes']
const no = ['0', 'false', 'off', 'no']

/** Every setting, in the order in which they are shown. */
export const settings: readonly Setting[] = [
  { name: 'STEWARD_HOME', key: null, fallback: '~/.steward', meaning: 'everything about the person', allowed: 'a folder', isAllowed: (value) => !value.includes('\0') },
  {
    name: 'STEWARD_HOST', key: 'host', fallback: '127.0.0.1', meaning: 'the address that the web page is served on',
    allowed: `${loopback.join(', ')} (this machine only: there are no accounts and no TLS yet)`, isAllowed: (value) => loopback.includes(value),
  },
  {
    name: 'STEWARD_PORT', key: 'port', fallback: '4180', meaning: 'its port; 0 takes a free one',
    allowed: 'a whole number from 0 to 65535', isAllowed: (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
  },
  {
    name: 'STEWARD_DATABASE', key: 'database', fallback: 'sqlite:$STEWARD_HOME/steward.db', meaning: 'where the journal is kept',
    allowed: 'sqlite:PATH or postgres://USER@HOST/NAME', isAllowed: (value) => /^sqlite:./.test(value) || isUrl(value, ['postgres:', 'postgresql:']),
  },
  { name: 'STEWARD_NATS', key: 'nats', fallback: null, meaning: 'wake-ups and live words between nodes', allowed: 'nats://HOST:PORT', isAllowed: (value) => isUrl(value, ['nats:', 'tls:']) },
  { name: 'STEWARD_MODEL', key: 'model', fallback: null, meaning: 'the model of every tier', ...chosen },
  { name: 'STEWARD_MODEL_LIGHT', key: 'modelLight', fallback: null, meaning: 'the model of the light tier', ...chosen },
  { name: 'STEWARD_MODEL_STANDARD', key: 'modelStandard', fallback: null, meaning: 'the model of the standard tier', ...chosen },
  { name: 'STEWARD_MODEL_DEEP', key: 'modelDeep', fallback: null, meaning: 'the model of the deep tier', ...chosen },
  { name: 'OPENAI_API_KEY', key: 'openaiApiKey', fallback: null, meaning: 'OpenAI', secret: true, provider: true, ...anyText },
  { name: 'OPENAI_BASE_URL', key: 'openaiBaseUrl', fallback: null, meaning: 'OpenAI, or what speaks like it', provider: true, ...webAddress },
  { name: 'ANTHROPIC_API_KEY', key: 'anthropicApiKey', fallback: null, meaning: 'Anthropic', secret: true, provider: true, ...anyText },
  { name: 'ANTHROPIC_BASE_URL', key: 'anthropicBaseUrl', fallback: null, meaning: 'Anthropic, or what speaks like it', provider: true, ...webAddress },
  { name: 'GOOGLE_GENERATIVE_AI_API_KEY', key: 'googleApiKey', fallback: null, meaning: 'Google', secret: true, provider: true, ...anyText },
  { name: 'GOOGLE_GENERATIVE_AI_BASE_URL', key: 'googleBaseUrl', fallback: null, meaning: 'Google, or what speaks like it', provider: true, ...webAddress },
  { name: 'OPENROUTER_API_KEY', key: 'openrouterApiKey', fallback: null, meaning: 'OpenRouter', secret: true, provider: true, ...anyText },
  { name: 'OLLAMA_HOST', key: 'ollamaHost', fallback: null, meaning: 'Ollama on this or another machine', provider: true, allowed: 'HOST, HOST:PORT or http://HOST:PORT', isAllowed: (value) => /^(https?:\/\/)?[^\s/]+\/?$/.test(value) },
  { name: 'STEWARD_PASSPHRASE', key: null, fallback: null, meaning: 'the passphrase that the key of the secrets is kept under', secret: true, allowed: 'at least 8 characters without line breaks', isAllowed: (value) => isPassphrase(value) },
  { name: 'STEWARD_PASSPHRASE_FILE', key: 'passphraseFile', fallback: null, meaning: 'a file whose first line is that passphrase', allowed: 'the path of a file', isAllowed: (value) => !value.includes('\0') },
  { name: 'STEWARD_KEYRING', key: 'keyring', fallback: 'auto', meaning: "whether that key may be kept in the operating system's keyring", allowed: 'auto or off', isAllowed: (value) => ['auto', ...no].includes(value.toLowerCase()) },
  {
    name: 'STEWARD_TRUST_LOOPBACK', key: 'trustLoopback', fallback: 'off', meaning: 'requests from this machine are the owner\'s: for development and tests',
    allowed: '1 or 0', isAllowed: (value) => [...yes, ...no].includes(value.toLowerCase()),
  },
  { name: 'STEWARD_LOG', key: 'log', fallback: 'info', meaning: 'what is logged', allowed: logLevels.join(', '), isAllowed: (value) => logLevels.some((level) => level === value) },
] // biome-ignore format: a table

/** Where the settings are read from. `home` is that of the command line. */
export type Sources = { readonly env: NodeJS.ProcessEnv; readonly home?: string | undefined }

/** The effective settings. Throws InvalidInput that names every wrong value; nothing is made or changed on disk. */
export async function loadConfig(sources: Sources): Promise<Config> {
  const { config, problems } = await inspectConfig(sources)
  if (problems.length > 0) throw new InvalidInput(problems.join('\n'), { path: 'settings' })
  return config
}

/** Like loadConfig, but wrong values are told beside the rest; in `config` they count as not set. */
export async function inspectConfig(sources: Sources): Promise<{ readonly config: Config; readonly problems: readonly string[] }> {
  const home = findHome(sources)
  const file = await readSettings(home.value)
  const found = settings.map((setting) => (setting.name === 'STEWARD_HOME' ? home : find(setting, sources.env, file.values)))
  const passphrase = passphraseOf(found)
  const problems = [...file.problems, ...[...found, passphrase].flatMap((one) => (one.problem ? [one.problem] : []))]
  const config = configOf(home.value, found, [...file.warnings, ...unused(found)])
  return { config: { ...config, passphrase: passphrase.value, secrets: secretsOf(found, passphrase.value) }, problems }
}

type Found = { readonly setting: Setting; readonly value: string | null; readonly from: Origin; readonly problem?: string }

function findHome({ env, home }: Sources): Found & { readonly value: string } {
  const setting = settingNamed('STEWARD_HOME')
  const [given, from]: [string, Origin] = home
    ? [home, 'command line']
    : env.STEWARD_HOME
      ? [env.STEWARD_HOME, 'environment']
      : ['~/.steward', 'default']
  const value = resolve(given.replace(/^~(?=\/|$)/, homedir()))
  const problem = setting.isAllowed(value) ? {} : { problem: wrong(setting.name, given, setting.allowed) }
  return { setting, value, from, ...problem }
}

function find(setting: Setting, env: NodeJS.ProcessEnv, file: ReadonlyMap<string, string>): Found {
  const inFile = setting.key === null ? undefined : file.get(setting.key)
  const text = env[setting.name]?.trim() || inFile
  if (!text) return { setting, value: setting.fallback, from: setting.fallback === null ? 'not set' : 'default' }
  const from: Origin = env[setting.name]?.trim() ? 'environment' : 'file'
  if (setting.isAllowed(text)) return { setting, value: text, from }
  const key = from === 'file' ? `${setting.key} (steward.yaml)` : setting.name
  return { setting, value: setting.fallback, from, problem: wrong(key, setting.secret ? '****' : maskUrl(text), setting.allowed) }
}

function wrong(key: string, value: string, allowed: string): string {
  return `${key} is "${value}"; allowed is: ${allowed}.`
}

/** Settings that this version takes but has no use for: said, so that nobody relies on them. */
function unused(found: readonly Found[]): readonly string[] {
  const nats = found.find(({ setting }) => setting.name === 'STEWARD_NATS')?.value
  return nats ? ['STEWARD_NATS is set, but this version runs as one node and does not use it.'] : []
}

type FileSettings = {
  readonly values: ReadonlyMap<string, string>
  readonly warnings: readonly string[]
  readonly problems: readonly string[]
}

async function readSettings(home: string): Promise<FileSettings> {
  const path = join(home, 'steward.yaml')
  const text = readOptional(path)
  if (text === null) return { values: new Map(), warnings: [], problems: [] }
  if (text instanceof Error) return { values: new Map(), warnings: [], problems: [`${path} can't be read: ${text.message}.`] }
  const yaml = readYaml(text, { mostCharacters })
  if ('value' in yaml) return settingsOf(path, yaml.value)
  // What is wrong may stand in a key, and what is quoted would be shown.
  const why = yaml.message.replace(/"[^"]*"?/g, '"..."')
  return { values: new Map(), warnings: [], problems: [`${path} is no YAML, line ${yaml.line}: ${why}.`] }
}

/** null when there is no such file (or it is a folder's place that doesn't exist); the error when it can't be read. */
function readOptional(path: string): string | Error | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    return error instanceof Error ? error : new Error(String(error))
  }
}

function settingsOf(path: string, parsed: unknown): FileSettings {
  if (parsed === null || parsed === undefined) return { values: new Map(), warnings: [], problems: [] }
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    return {
      values: new Map(),
      warnings: [],
      problems: [`${path} must be a list of "key: value" lines; allowed keys are ${keys().join(', ')}.`],
    }
  }
  const [values, warnings, problems] = [new Map<string, string>(), [] as string[], [] as string[]]
  for (const [key, value] of Object.entries(parsed)) {
    const setting = settings.find((one) => one.key === key)
    if (!setting) warnings.push(`${path}: "${key}" is no setting and is ignored; known are ${keys().join(', ')}.`)
    else if (['string', 'number', 'boolean'].includes(typeof value)) values.set(key, String(value).trim())
    else if (value !== null) problems.push(wrong(`${key} (steward.yaml)`, setting.secret ? '****' : JSON.stringify(value), setting.allowed))
  }
  return { values, warnings, problems }
}

function keys(): string[] {
  return settings.flatMap((setting) => (setting.key === null ? [] : [setting.key]))
}

/** The variable, else the first line of the file. */
function passphraseOf(found: readonly Found[]): { readonly value: string | null; readonly problem?: string } {
  const value = (name: string): string | null => found.find((one) => one.setting.name === name)?.value ?? null
  const [given, path] = [value('STEWARD_PASSPHRASE'), value('STEWARD_PASSPHRASE_FILE')]
  if (given !== null || path === null) return { value: given }
  const text = readOptional(path.replace(/^~(?=\/)/, homedir()))
  const name = 'STEWARD_PASSPHRASE_FILE'
  if (text === null) return { value: null, problem: wrong(name, path, 'the path of a file that is there') }
  if (text instanceof Error) return { value: null, problem: `${name}: ${path} can't be read: ${text.message}.` }
  const line = (text.split(/\r?\n/)[0] ?? '').trim()
  if (isPassphrase(line)) return { value: line }
  return { value: null, problem: wrong(name, path, 'a file whose first line has at least 8 characters') }
}

function isPassphrase(text: string): boolean {
  return text.length >= 8 && !/[\r\n\0]/.test(text)
}

function secretsOf(found: readonly Found[], passphrase: string | null): Readonly<Record<string, string>> {
  const given = found.flatMap(({ setting, value }) => (setting.secret && value !== null ? [[setting.name, value]] : []))
  return { ...Object.fromEntries(given), ...(passphrase === null ? {} : { STEWARD_PASSPHRASE: passphrase }) }
}

function configOf(home: string, found: readonly Found[], warnings: readonly string[]): Omit<Config, 'passphrase' | 'secrets'> {
  const value = (name: string): string | null => found.find((one) => one.setting.name === name)?.value ?? null
  const provided = found.flatMap((one) => (one.setting.provider && one.value !== null ? [[one.setting.name, one.value]] : []))
  const every = value('STEWARD_MODEL')
  return {
    home,
    host: value('STEWARD_HOST') ?? '127.0.0.1',
    port: Number(value('STEWARD_PORT')),
    database: databaseOf(value('STEWARD_DATABASE') ?? '', home),
    nats: value('STEWARD_NATS'),
    models: {
      light: value('STEWARD_MODEL_LIGHT') ?? every,
      standard: value('STEWARD_MODEL_STANDARD') ?? every,
      deep: value('STEWARD_MODEL_DEEP') ?? every,
    },
    providers: Object.fromEntries(provided),
    keyring: no.includes((value('STEWARD_KEYRING') ?? '').toLowerCase()) ? 'off' : 'auto',
    trustLoopback: yes.includes((value('STEWARD_TRUST_LOOPBACK') ?? '').toLowerCase()),
    log: logLevels.find((level) => level === value('STEWARD_LOG')) ?? 'info',
    shown: found.map(show),
    warnings,
  }
}

function databaseOf(text: string, home: string): Database {
  if (!text.startsWith('sqlite:')) return { kind: 'postgres', url: text }
  const path = text
    .slice('sqlite:'.length)
    .replace(/^\$STEWARD_HOME(?=\/)/, home)
    .replace(/^~(?=\/)/, homedir())
  return { kind: 'sqlite', path: isAbsolute(path) ? path : join(home, path) }
}

function show({ setting, value, from }: Found): Shown {
  const visible = value === null ? null : setting.secret ? '****' : maskUrl(value)
  return { name: setting.name, key: setting.key, value: visible, from, meaning: setting.meaning }
}

/** An address without its password. */
function maskUrl(text: string): string {
  return text.replace(/^([a-z]+:\/\/[^/@\s]*?:)[^@\s]*@/i, '$1****@').replace(/([?&](?:password|token|key)=)[^&\s]*/gi, '$1****')
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) && url.host !== ''
}

function settingNamed(name: string): Setting {
  const setting = settings.find((one) => one.name === name)
  if (!setting) throw new Error(`There is no setting ${name}.`)
  return setting
}
