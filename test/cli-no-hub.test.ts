// The commands when no hub runs.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newPlace, type Place } from './program.ts'

let place: Place
beforeEach(() => {
  place = newPlace()
})
afterEach(() => place.remove())

test.each([
  [['ask', 'x']],
  [['chat']],
  [['status']],
  [['sessions']],
  [['sessions', 'show', 'ses_1']],
  [['projects']],
  [['projects', 'create', 'x']],
  [['agents']],
  [['journal']],
  [['stop']],
])('[C6] %j says how to start one', async (args) => {
  const sentence = `No hub runs on ${place.home}. Start it with: steward start`
  expect(await place.run(args)).toEqual({ code: 3, out: '', err: `${sentence}\n` })
  const { code, out } = await place.run([...args, '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(out)).toEqual({ error: { code: 'unreachable', message: sentence } })
})

test('[C6] a note of a hub that is gone is the same', async () => {
  mkdirSync(place.home, { recursive: true })
  const note = { socket: join(place.home, 'gone.sock'), pid: 1, address: 'http://127.0.0.1:1', version: '0.1.0' }
  writeFileSync(join(place.home, 'runtime.json'), JSON.stringify(note))
  for (const args of [['ask', 'x'], ['status'], ['stop'], ['chat']]) expect((await place.run(args)).code).toBe(3)
})

test('[C1] --home names another folder than the environment', async () => {
  const ended = await place.run(['status', '--home', '/somewhere/else'])
  expect(ended.err).toContain('No hub runs on /somewhere/else.')
})

test('[C1] config works without a hub and makes nothing', async () => {
  const ended = await place.run(['config', '--json'], { env: { STEWARD_LOG: 'debug', OPENAI_API_KEY: '' } })
  expect(ended.code).toBe(0)
  const { settings } = JSON.parse(ended.out)
  const of = (name: string) => settings.find((one: { name: string }) => one.name === name)
  expect(of('STEWARD_LOG')).toMatchObject({ value: 'debug', from: 'environment' })
  expect(of('OPENAI_API_KEY')).toMatchObject({ value: null, from: 'not set' })
})

test('[C2] config shows the rest when a value is wrong', async () => {
  const ended = await place.run(['config'], { env: { STEWARD_PORT: 'many' } })
  expect(ended.code).toBe(1)
  expect(ended.err).toContain('STEWARD_PORT is "many"')
  expect(ended.out).toContain('STEWARD_LOG')
})

test('[C16] doctor says what is missing, and how to mend it', async () => {
  const ended = await place.run(['doctor'])
  expect(ended.code).toBe(0)
  expect(ended.out).toContain('Start it with: steward start')
  expect(ended.out).toContain('Set STEWARD_MODEL')
})

test('[C16] doctor finds a damaged database, open modes, a wrong setting, a model that does not answer', async () => {
  mkdirSync(place.home, { recursive: true })
  chmodSync(place.home, 0o755)
  writeFileSync(join(place.home, 'steward.db'), 'no database '.repeat(200))
  const port = await closedPort()
  const env = {
    STEWARD_LOG: 'loud',
    STEWARD_MODEL: 'openai/x',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    STEWARD_TRUST_LOOPBACK: '1',
  }
  const ended = await place.run(['doctor', '--json'], { env })
  expect(ended.code).toBe(1)
  const { items } = JSON.parse(ended.out)
  const of = (name: string) => items.find((one: { name: string }) => one.name === name)
  expect(of('database')).toMatchObject({ status: 'fail', detail: expect.stringContaining('not a database') })
  expect(of('data folder')).toMatchObject({ status: 'warn', mend: expect.stringContaining('chmod') })
  expect(of('settings')).toMatchObject({ status: 'fail', detail: expect.stringContaining('STEWARD_LOG') })
  expect(of('models')).toMatchObject({ status: 'fail', detail: expect.stringContaining('ECONNREFUSED') })
  expect(of('trust loopback')).toMatchObject({ status: 'warn', mend: expect.stringContaining('Unset') })
})

/** A port on which nobody listens any more. */
function closedPort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
