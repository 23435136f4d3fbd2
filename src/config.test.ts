import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inspectConfig, loadConfig, settings } from './config.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-config-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ env: { STEWARD_HOME: home, ...env } })
const yaml = (text: string) => writeFileSync(join(home, 'steward.yaml'), text)
const problemsOf = async (env: NodeJS.ProcessEnv = {}) => (await inspectConfig({ env: { STEWARD_HOME: home, ...env } })).problems
const shownAs = async (name: string, env: NodeJS.ProcessEnv = {}) => (await load(env)).shown.find((one) => one.name === name)

describe('where a value comes from', () => {
  test('[C1] without anything there are the defaults', async () => {
    expect(await load()).toMatchObject({
      home,
      host: '127.0.0.1',
      port: 4180,
      database: { kind: 'sqlite', path: join(home, 'steward.db') },
      nats: null,
      models: { light: null, standard: null, deep: null },
      providers: {},
      trustLoopback: false,
      log: 'info',
      warnings: [],
    })
  })

  test('[C1] the environment wins over the file, the file over the default', async () => {
    yaml('port: 5000\nlog: debug\nmodel: ollama/llama3.2\n')
    expect(await load({ STEWARD_PORT: '6000' })).toMatchObject({ port: 6000, log: 'debug', models: { standard: 'ollama/llama3.2' } })
    expect(await shownAs('STEWARD_PORT', { STEWARD_PORT: '6000' })).toMatchObject({ value: '6000', from: 'environment' })
    expect(await shownAs('STEWARD_LOG')).toMatchObject({ value: 'debug', from: 'file', key: 'log' })
    expect(await shownAs('STEWARD_HOST')).toMatchObject({ value: '127.0.0.1', from: 'default' })
    expect(await shownAs('STEWARD_MODEL_DEEP')).toMatchObject({ value: null, from: 'not set' })
  })

  test('[C1] an empty variable counts as not set, one of blanks too', async () => {
    yaml('port: 5000\n')
    expect((await load({ STEWARD_PORT: '', STEWARD_LOG: '  ', STEWARD_MODEL: '' })).port).toBe(5000)
    expect(await shownAs('STEWARD_LOG', { STEWARD_LOG: '  ' })).toMatchObject({ value: 'info', from: 'default' })
  })

  test('[C1] an empty value in the file counts as not set', async () => {
    yaml('port:\nmodel: ""\nlog: ~\n')
    expect(await load()).toMatchObject({ port: 4180, models: { standard: null }, log: 'info' })
  })

  test('[C1] the command line names the folder before the environment does', async () => {
    const config = await loadConfig({ env: { STEWARD_HOME: '/elsewhere' }, home })
    expect(config.home).toBe(home)
    expect(config.shown[0]).toMatchObject({ name: 'STEWARD_HOME', value: home, from: 'command line' })
  })

  test('[C1] a port of 0, booleans and numbers of YAML are understood', async () => {
    yaml('port: 0\ntrustLoopback: true\n')
    expect(await load()).toMatchObject({ port: 0, trustLoopback: true })
  })

  test('[C1] a database path may name the data folder, or be relative to it', async () => {
    expect((await load({ STEWARD_DATABASE: 'sqlite:$STEWARD_HOME/x/y.db' })).database).toEqual({
      kind: 'sqlite',
      path: join(home, 'x/y.db'),
    })
    expect((await load({ STEWARD_DATABASE: 'sqlite:other.db' })).database).toEqual({ kind: 'sqlite', path: join(home, 'other.db') })
    expect((await load({ STEWARD_DATABASE: 'postgres://ada@db/steward' })).database).toEqual({
      kind: 'postgres',
      url: 'postgres://ada@db/steward',
    })
  })
})

describe('what is wrong', () => {
  test('[C2] an unknown key of the file is a warning that names the known ones', async () => {
    yaml('prot: 5000\n')
    const { warnings } = await load()
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('"prot" is no setting')
    expect(warnings[0]).toContain('host, port, database')
  })

  test('[C2] a setting that this version does not use is a warning', async () => {
    const { warnings } = await load({ STEWARD_NATS: 'nats://127.0.0.1:4222' })
    expect(warnings).toEqual(['STEWARD_NATS is set, but this version runs as one node and does not use it.'])
  })

  test.each([
    ['STEWARD_PORT', '70000', 'STEWARD_PORT is "70000"; allowed is: a whole number from 0 to 65535.'],
    ['STEWARD_PORT', '-1', 'STEWARD_PORT is "-1"; allowed is: a whole number from 0 to 65535.'],
    ['STEWARD_PORT', '80a', 'STEWARD_PORT is "80a"; allowed is: a whole number from 0 to 65535.'],
    ['STEWARD_LOG', 'loud', 'STEWARD_LOG is "loud"; allowed is: debug, info, warn, error.'],
    [
      'STEWARD_MODEL',
      'gpt-5',
      'STEWARD_MODEL is "gpt-5"; allowed is: <provider>/<model>, for example ollama/llama3.2, or several with commas between, the first choice first.',
    ],
    ['STEWARD_DATABASE', 'mysql://x', 'STEWARD_DATABASE is "mysql://x"; allowed is: sqlite:PATH or postgres://USER@HOST/NAME.'],
    ['STEWARD_TRUST_LOOPBACK', 'maybe', 'STEWARD_TRUST_LOOPBACK is "maybe"; allowed is: 1 or 0.'],
    ['OPENAI_BASE_URL', 'localhost', 'OPENAI_BASE_URL is "localhost"; allowed is: an address that starts with http:// or https://.'],
    ['STEWARD_NATS', 'http://x', 'STEWARD_NATS is "http://x"; allowed is: nats://HOST:PORT.'],
  ])('[C2] %s=%s is an error that names key, value and what is allowed', async (name, value, sentence) => {
    expect(await problemsOf({ [name]: value })).toEqual([sentence])
  })

  test('[C2] a host that others can reach is refused', async () => {
    expect((await problemsOf({ STEWARD_HOST: '0.0.0.0' }))[0]).toContain('STEWARD_HOST is "0.0.0.0"; allowed is: 127.0.0.1, ::1, localhost')
  })

  test('[C2] a wrong value of the file is named by its key there', async () => {
    yaml('port: many\nlog: [a]\n')
    expect(await problemsOf()).toEqual([
      'log (steward.yaml) is "["a"]"; allowed is: debug, info, warn, error.',
      'port (steward.yaml) is "many"; allowed is: a whole number from 0 to 65535.',
    ])
  })

  test('[C2] every wrong value is named at once', async () => {
    await expect(load({ STEWARD_PORT: 'x', STEWARD_LOG: 'y' })).rejects.toThrow(/STEWARD_PORT.*\n.*STEWARD_LOG/)
  })

  test.each(['- a\n- b\n', 'just text', '7'])('[C2] a file that is no mapping is an error: %j', async (text) => {
    yaml(text)
    expect((await problemsOf())[0]).toContain('must be a list of "key: value" lines')
  })

  test('[C2] a file that is no YAML is an error without what stands in it', async () => {
    yaml('openaiApiKey: "sk-very-secret\nport: {')
    const [problem] = await problemsOf()
    expect(problem).toContain('steward.yaml is no YAML')
    expect(problem).not.toContain('very-secret')
  })

  test('[C2] an empty file and one of comments are fine', async () => {
    yaml('# nothing yet\n')
    expect((await load()).port).toBe(4180)
  })
})

test('[C1] a tier has its own model or that of all', async () => {
  const { models } = await load({ STEWARD_MODEL: 'ollama/a', STEWARD_MODEL_DEEP: 'openai/b', STEWARD_MODEL_LIGHT: '' })
  expect(models).toEqual({ light: 'ollama/a', standard: 'ollama/a', deep: 'openai/b' })
})

describe('secrets', () => {
  test('[C3] are masked, also in the address of a database and in errors', async () => {
    const env = { OPENAI_API_KEY: 'sk-123456', STEWARD_DATABASE: 'postgres://ada:hunter2@db/steward' }
    const shown = JSON.stringify((await load(env)).shown)
    expect(shown).not.toContain('123456')
    expect(shown).not.toContain('hunter2')
    expect(shown).toContain('postgres://ada:****@db/steward')
    expect(JSON.stringify(await problemsOf({ OPENAI_API_KEY: 'sk-1\n23456' }))).not.toContain('23456')
    yaml('openaiApiKey: [sk-123456]\n')
    expect(await problemsOf()).toEqual(['openaiApiKey (steward.yaml) is "****"; allowed is: any text without line breaks.'])
  })

  test('[C3] the passphrase of the secrets comes from its variable, or from the first line of a file', async () => {
    expect(await load()).toMatchObject({ passphrase: null, keyring: 'auto', secrets: {} })
    expect(await load({ STEWARD_PASSPHRASE: 'correct horse' })).toMatchObject({
      passphrase: 'correct horse',
      secrets: { STEWARD_PASSPHRASE: 'correct horse' },
    })
    const file = join(home, 'passphrase')
    writeFileSync(file, 'battery staple\nmore\n')
    const config = await load({ STEWARD_PASSPHRASE_FILE: file, STEWARD_KEYRING: 'off', OPENAI_API_KEY: 'sk-1' })
    expect(config).toMatchObject({ passphrase: 'battery staple', keyring: 'off' })
    expect(config.secrets).toEqual({ OPENAI_API_KEY: 'sk-1', STEWARD_PASSPHRASE: 'battery staple' })
    expect(JSON.stringify(config.shown)).not.toContain('staple')
  })

  test('[C2] a passphrase that is too short, and a file of it that is missing, are named and not shown', async () => {
    expect(await problemsOf({ STEWARD_PASSPHRASE: 'short' })).toEqual([
      'STEWARD_PASSPHRASE is "****"; allowed is: at least 8 characters without line breaks.',
    ])
    const file = join(home, 'passphrase')
    const [missing] = await problemsOf({ STEWARD_PASSPHRASE_FILE: file })
    expect(missing).toContain('allowed is: the path of a file that is there')
    writeFileSync(file, 'tiny\n')
    const [tiny] = await problemsOf({ STEWARD_PASSPHRASE_FILE: file })
    expect(tiny).toContain('first line has at least 8 characters')
    expect(tiny).not.toContain('tiny')
    expect((await problemsOf({ STEWARD_PASSPHRASE_FILE: home }))[0]).toContain("can't be read")
  })

  test('[C3] a key that is present chooses no model', async () => {
    expect(await load({ OPENAI_API_KEY: 'sk-1' })).toMatchObject({
      models: { light: null, standard: null, deep: null },
      providers: { OPENAI_API_KEY: 'sk-1' },
    })
  })
})

test('the table of settings has each name and each key once', () => {
  const names = settings.map((one) => one.name)
  const keys = settings.flatMap((one) => one.key ?? [])
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(keys).size).toBe(keys.length)
})
