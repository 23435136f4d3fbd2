// What a text to be routed may come with: an envelope that is verified first, a table with oddities, answers of clarify; and bodies that
// are as large as they may be.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportText, sampleEnvelope, sampleText } from '../../../src/work/envelope/testing.ts'
import { newPlace, type Place } from '../../program.ts'
import { openRoutingHub, type RoutingHub } from './bench.ts'

let hub: RoutingHub
beforeAll(async () => {
  hub = await openRoutingHub()
})
afterAll(() => hub.close())

const member = (name: string, more: object = {}) => ({
  capability_class: 'scout',
  suggested_tier: 'standard',
  trigger_verbs: [`${name} it`],
  refuse_verbs: [],
  downstream: [],
  ...more,
})
const tableOf = (eidolons: object) => ({ routing_version: '1.1', thresholds: { tau_standard: 0.6, chain_floor: 0.6 }, eidolons })

describe('an envelope', () => {
  const name = 'scout-report.md.envelope.json'
  const verify = { envelope: sampleText(), payload: reportText, name }
  const passed = { verdict: 'pass', mode: 'warn', envelope: name }

  test('[R28] its verdict stands on the answer, in both modes and with a table', async () => {
    expect((await hub.route('map it', { verify })).json).toMatchObject({ decision: 'dispatch', incomingVerify: passed })
    const strict = (await hub.route('map it', { verify, mode: 'strict' })).json
    expect(strict).toMatchObject({ decision: 'dispatch', incoming_verify: passed })
    const roster = tableOf({ finder: member('map') })
    expect((await hub.route('map it', { verify, roster })).json.incomingVerify).toEqual(passed)
    expect((await hub.route('map it', { verify, roster, mode: 'strict' })).json.incoming_verify).toEqual(passed)
    expect((await hub.route('map it')).json).not.toHaveProperty('incomingVerify')
  })

  test('[R28] as JSON too; without a name it is called by its id', async () => {
    const envelope = sampleEnvelope()
    const { json } = await hub.route('map it', { verify: { envelope, payload: reportText, mode: 'block' } })
    expect(json.incomingVerify).toEqual({ verdict: 'pass', mode: 'block', envelope: envelope.message_id })
  })

  test('[R28] what does not fit is told, and in the mode block not routed at all', async () => {
    const tampered = { ...verify, payload: `${reportText} ` }
    expect((await hub.route('map it', { verify: tampered })).json.incomingVerify.verdict).toBe('tamper')
    expect((await hub.route('map it', { verify: { ...verify, payload: null } })).json.incomingVerify.verdict).toBe('missing_payload')
    const refused = await hub.route('map it', { verify: { ...tampered, mode: 'block' } })
    expect(refused).toMatchObject({ status: 409, json: { code: 'handoff_blocked', path: '/verify' } })
    expect(refused.json.detail).toContain('tamper')
    expect(refused.json).not.toHaveProperty('decision')
  })

  test('[R28] a digest that is still to be filled in passes with a verdict of its own', async () => {
    const envelope = sampleText({ integrity: { method: 'sha256', value: 'TODO' } })
    const { json } = await hub.route('map it', { verify: { ...verify, envelope, mode: 'block' } })
    expect(json.incomingVerify.verdict).toBe('unverifiable')
  })

  test.each([
    [{ envelope: 'no JSON' }, '/verify/envelope'],
    [{ envelope: {} }, '/verify/envelope'],
    [{ envelope: '['.repeat(60_000) }, '/verify/envelope'],
    [{ envelope: sampleText(), mode: 'strict' }, '/verify/mode'],
    [{ envelope: sampleText(), file: 'x' }, '/verify/file'],
    [{ payload: 'x' }, '/verify/envelope'],
  ])('[R28] %j is refused at its place', async (given, path) => {
    const { status, json } = await hub.route('map it', { verify: given })
    expect({ status, path: json.path }).toEqual({ status: 400, path })
  })
})

describe('a table', () => {
  const odd = tableOf({ finder: member('map', { downstream: ['mender'] }) })

  test('[R27] what is odd about it is told beside the route; in strict where explanations are asked for', async () => {
    const { warnings } = (await hub.route('map it', { roster: odd })).json
    expect(warnings).toEqual([expect.stringContaining('mender')])
    expect((await hub.route('map it', { roster: odd, mode: 'strict' })).json).not.toHaveProperty('_warnings')
    expect((await hub.route('map it', { roster: odd, mode: 'strict', explain: true })).json._warnings).toEqual(warnings)
    expect((await hub.route('map it', { roster: tableOf({ finder: member('map') }) })).json.warnings).toEqual([])
  })
})

test('[R27] a text that holds the answers already is asked about no more', async () => {
  const text = 'do something with the thing'
  expect((await hub.route(text, { context: { answered: true } })).json.decision).not.toBe('clarify')
  expect((await hub.route(text, { context: { answered: true } })).json.context).toEqual({ answered: true })
})

describe('bodies of nearly a megabyte', () => {
  const large = 950_000
  const keys = Array.from({ length: 40_000 }, (_, at) => `k${at}: 1`).join('\n')
  const members = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`m${at}`, member(`w${at}`)]))
  test.each([
    ['words', { text: `fix ${'word '.repeat(large / 5)}` }, 200],
    ['one word', { text: 'x'.repeat(large) }, 200],
    ['mentions', { text: '@a '.repeat(large / 3) }, 200],
    ['a table of one text', { text: 'x', roster: 'x'.repeat(large) }, 400],
    ['a table of keys as text', { text: 'x', roster: keys.slice(0, 250_000) }, 400],
    ['a table of members', { text: 'x', roster: tableOf(members) }, 400],
    ['a table of unknown names', { text: 'x', roster: Object.fromEntries(keys.split('\n').map((one) => [one, 1])) }, 400],
    ['an envelope', { text: 'x', verify: { envelope: `"${'x'.repeat(large)}"` } }, 400],
    ['an artifact', { text: 'x', verify: { envelope: sampleText(), payload: 'x'.repeat(large) } }, 200],
  ])('[R27] %s: answered in bounded time', async (_, body, status) => {
    const start = performance.now()
    const answer = await hub.ask('POST', '/api/route', body)
    expect(answer.status).toBe(status)
    // Far above what it takes, for busy machines; what grows with the square takes minutes.
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(JSON.stringify(answer.json).length).toBeLessThan(100_000)
  })
})

describe('steward route --verify', () => {
  let place: Place
  let folder: string
  beforeAll(async () => {
    place = newPlace()
    await place.start()
    folder = join(dirname(place.home), 'run')
    mkdirSync(folder)
    writeFileSync(join(folder, 'scout-report.md'), reportText)
    writeFileSync(join(folder, 'scout-report.md.envelope.json'), sampleText())
    writeFileSync(join(folder, 'other.md.envelope.json'), sampleText({ integrity: { method: 'sha256', value: '0'.repeat(64) } }))
  })
  afterAll(() => place.remove())
  const route = (...args: string[]) => place.run(['route', 'map the login flow', ...args])
  const file = (name: string) => join(folder, name)

  test('[R28] the verdict is shown with the route, in both modes', async () => {
    const plain = await route('--verify', file('scout-report.md.envelope.json'))
    expect(plain).toMatchObject({ code: 0, err: '' })
    expect(plain.out).toContain('envelope scout-report.md.envelope.json: pass (warn)')
    const strict = await route('--strict', '--verify', file('scout-report.md.envelope.json'), '--mode', 'block', '--json')
    expect(JSON.parse(strict.out).incoming_verify).toEqual({ verdict: 'pass', mode: 'block', envelope: 'scout-report.md.envelope.json' })
  })

  test('[R28] what does not fit is routed with its verdict, or with block not at all: exit 3', async () => {
    const warned = await route('--verify', file('other.md.envelope.json'))
    expect(warned).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^goes to[\s\S]*envelope other\.md\.envelope\.json: (tamper|inconsistent)/),
    })
    const blocked = await route('--verify', file('other.md.envelope.json'), '--mode', 'block')
    expect(blocked).toMatchObject({ code: 3, out: expect.stringContaining('Nothing is routed.') })
  })

  test('[R28] wrong usage says what is allowed', async () => {
    expect(await route('--mode', 'block')).toMatchObject({ code: 2, err: expect.stringContaining('--verify') })
    expect(await route('--verify', file('none'))).toMatchObject({ code: 1, err: expect.stringContaining('no envelope') })
    expect((await route('--verify', file('scout-report.md'))).code).toBe(2)
    expect((await route('--verify', file('other.md.envelope.json'), '--mode', 'hard')).err).toContain('warn and block')
  })
})
