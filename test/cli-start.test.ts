// `steward start` as a person or a service manager uses it: the real program, real sockets, real signals.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRuntime } from '../src/base/home.ts'
import { hold, startScriptedModel } from '../src/models/scripted.ts'
import { modelEnv, newPlace, type Place } from './program.ts'

let place: Place
beforeEach(() => {
  place = newPlace()
})
afterEach(() => place.remove())

const modeOf = (path: string) => statSync(path).mode & 0o777

test('[C11] an empty folder, no terminal, no model: one line with the address and a code, and the hub answers', async () => {
  const hub = await place.start()
  expect(hub.out()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\S{16,}\n$/)
  expect((await fetch(`${hub.address}/health/ready`)).status).toBe(200)
  const ended = await hub.stop()
  expect(ended.code).toBe(0)
  expect(ended.out.split('\n')).toHaveLength(2)
})

test('[C11] with --json the line is one value', async () => {
  const hub = place.spawn(['start', '--json'])
  const [line] = await hub.until(/.*\n/)
  expect(JSON.parse(line)).toMatchObject({
    address: expect.stringMatching(/^http/),
    url: expect.stringContaining('/#code='),
    home: place.home,
  })
})

test('[C7] folders have mode 0700, files and the socket 0600, and the note names the socket', async () => {
  const hub = await place.start()
  const note = readRuntime(place.home)
  expect(note).toMatchObject({ address: hub.address, pid: expect.any(Number) })
  for (const path of [
    place.home,
    ...['blobs', 'documents', 'logs', 'backups'].map((name) => join(place.home, name)),
    dirname(note?.socket ?? ''),
  ]) {
    expect([path, modeOf(path)]).toEqual([path, 0o700])
  }
  for (const path of [
    join(place.home, 'steward.db'),
    join(place.home, 'runtime.json'),
    join(place.home, 'logs', 'steward.log'),
    note?.socket ?? '',
  ]) {
    expect([path, modeOf(path)]).toEqual([path, 0o600])
  }
})

test('[C11] a second start says so, prints the address with a new code, and exits 0', async () => {
  const hub = await place.start()
  const second = await place.run(['start'])
  expect(second.code).toBe(0)
  expect(second.err).toContain(`Steward already runs on ${place.home}`)
  const [, address, code] = /^(http:\S+)\/#code=(\S+)\n$/.exec(second.out) ?? []
  expect(address).toBe(hub.address)
  expect(code).not.toBe(hub.code)
  const login = await fetch(`${hub.address}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  expect(login.status).toBe(200)
})

test('[C11] two starts at the same moment give one hub and two addresses', async () => {
  const [one, two] = [place.spawn(['start']), place.spawn(['start'])]
  const [first, second] = await Promise.all([one.until(/http\S+\n/), two.until(/http\S+\n/)])
  expect(new URL(first[0].trim()).port).toBe(new URL(second[0].trim()).port)
})

test('[C11] a port that is taken is named with its setting', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const ended = await place.run(['start'], { env: { STEWARD_PORT: port } })
  expect(ended.code).toBe(1)
  expect(ended.out).toBe('')
  expect(ended.err).toContain(`port ${port} on 127.0.0.1 is in use by another program`)
  expect(ended.err).toContain('STEWARD_PORT')
  await new Promise((resolve) => taken.close(resolve))
})

test('[C11] a start that fails at the last moment ends, and nothing listens', async () => {
  const hub = await place.start()
  await hub.stop()
  mkdirSync(join(place.home, 'runtime.json'))
  const ended = await place.run(['start'])
  expect(ended).toMatchObject({ code: 1, out: '' })
  expect(ended.err).toContain(`the note of the running hub can't be written into ${place.home}`)
})

test('[C2] a wrong setting starts nothing and leaves nothing behind', async () => {
  const ended = await place.run(['start'], { env: { STEWARD_PORT: 'many', STEWARD_LOG: 'loud' } })
  expect(ended).toMatchObject({ code: 1, out: '' })
  expect(ended.err).toContain('STEWARD_PORT is "many"')
  expect(ended.err).toContain('STEWARD_LOG is "loud"')
  expect(existsSync(place.home)).toBe(false)
})

test('[C7] a folder with other things in it is left alone', async () => {
  mkdirSync(place.home, { mode: 0o755 })
  writeFileSync(join(place.home, 'thesis.txt'), '')
  const ended = await place.run(['start'])
  expect(ended).toMatchObject({ code: 1, out: '' })
  expect(ended.err).toContain('thesis.txt')
  expect(modeOf(place.home)).toBe(0o755)
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('[C11] %s stops it in good order in under five seconds', async (signal) => {
  const hub = await place.start()
  const began = performance.now()
  hub.child.kill(signal)
  expect((await hub.ended).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(5000)
  expect(readRuntime(place.home)).toBeNull()
})

test('[C11] a second signal ends it at once', async () => {
  const hub = await place.start()
  // A request that never ends holds up a stop in good order.
  const half = connect(Number(new URL(hub.address).port), '127.0.0.1')
  await new Promise((resolve) => half.once('connect', resolve))
  half.on('error', () => {}).write('POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n')
  hub.child.kill('SIGTERM')
  await hub.until(/Steward stops/, 'err')
  const began = performance.now()
  hub.child.kill('SIGTERM')
  const { code } = await hub.ended
  expect([code === 130 || code === 0, performance.now() - began < 1000]).toEqual([true, true])
  half.destroy()
})

test('[C11] what is under way and who waits for it hold up a stop for less than five seconds', async () => {
  const stands = hold()
  const model = await startScriptedModel()
  model.script({ text: ['Half', stands] })
  const hub = await place.start(modelEnv(model))
  const asking = place.spawn(['ask', 'tell me'])
  await stands.reached
  const half = connect(Number(new URL(hub.address).port), '127.0.0.1')
  half.on('error', () => {}).write('POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n')
  const began = performance.now()
  expect((await hub.stop()).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(5000)
  expect((await asking.ended).code).not.toBe(0)
  half.destroy()
  stands.release()
  await model.close()
})

test('[C11] steward stop waits until the hub has stopped', async () => {
  const hub = await place.start()
  expect(await place.run(['stop'])).toMatchObject({ code: 0, out: 'Steward has stopped.\n' })
  expect((await hub.ended).code).toBe(0)
  expect((await place.run(['stop'])).code).toBe(3)
})

test('[C11] after a kill the next start takes over what was left: lock, socket, note', async () => {
  const hub = await place.start()
  hub.child.kill('SIGKILL')
  await hub.ended
  expect(readRuntime(place.home)).not.toBeNull()
  expect((await place.run(['status'])).code).toBe(3)
  const again = await place.start()
  expect((await place.run(['status'])).code).toBe(0)
  await again.stop()
})

test('[C14] without a terminal the log is JSON lines, on standard error and in the folder', async () => {
  const hub = await place.start()
  const { err } = await hub.stop()
  const lines = err
    .trim()
    .split('\n')
    .map((line): { level: string; what: string } => JSON.parse(line))
  expect(lines.map((line) => line.what)).toContain('Steward is ready')
  expect(readFileSync(join(place.home, 'logs', 'steward.log'), 'utf8')).toBe(err)
})

test('[C2] an unknown key of the file is told and does not stop the start', async () => {
  mkdirSync(place.home, { recursive: true })
  writeFileSync(join(place.home, 'steward.yaml'), 'prot: 4711\n')
  const hub = await place.start()
  expect(hub.err()).toContain('\\"prot\\" is no setting')
})

test('[C7] a database that is none is named, kept, and nothing listens', async () => {
  mkdirSync(place.home, { recursive: true })
  writeFileSync(join(place.home, 'steward.db'), 'this is no database at all, and long enough to be looked at as one '.repeat(20))
  const ended = await place.run(['start'])
  expect(ended.code).toBe(1)
  expect(ended.err).toContain('is damaged')
  expect(readFileSync(join(place.home, 'steward.db'), 'utf8')).toContain('no database at all')
})
