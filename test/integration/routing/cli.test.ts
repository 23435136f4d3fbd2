// `steward route` over the real program: what a person reads, corrections, wrong usage.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPlace, type Place } from '../../program.ts'

let place: Place
beforeAll(async () => {
  place = newPlace()
  await place.start()
})
afterAll(() => place.remove())

const steward = (...args: string[]) => place.run(args)

test('[R27] the decision stands first, then why, then what else there was', async () => {
  const { code, out } = await steward('route', '@scout', 'fix the login', '--files', '3')
  expect(code).toBe(0)
  expect(out).toMatch(/^goes to +scout\n +by a mention, confidence 1\.00/)
  expect(out).toContain('The text mentions @scout.')
  expect(out).toMatch(/made from +roster [0-9a-f]{16}, rules [0-9a-f]{16}/)
  const json = JSON.parse((await steward('route', 'map the login flow and fix the timeout', '--json')).out)
  expect(json).toMatchObject({ decision: 'chain', selected: ['scout', 'coder'] })
  const read = await place.run(['route', '-', '--json'], { input: 'map the login flow and fix the timeout\n' })
  expect(JSON.parse(read.out)).toEqual(json)
})

test('[R27] strict shows the source’s own answer, also over a table from elsewhere', async () => {
  const file = join(place.home, '..', 'table.yaml')
  const member = 'capability_class: scout, suggested_tier: standard, trigger_verbs: [sniff], refuse_verbs: [], downstream: []'
  writeFileSync(file, `routing_version: "1.1"\nthresholds: {tau_standard: 0.6, chain_floor: 0.6}\neidolons:\n  nose: {${member}}\n`)
  const { code, out, err } = await steward('route', '--strict', '--roster', file, 'sniff around')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^decision +dispatch\nselected +nose\n/)
})

test('[R25] a correction is shown, accepted, followed and taken back', async () => {
  const shown = await steward('route', 'correct', 'water the roses', '--to', 'scriber')
  expect(shown.out).toContain('A rule: texts with "water" and "roses" go to scriber.')
  const [proposal = ''] = /proposal-\w+/.exec(shown.out) ?? []
  expect((await steward('route', 'rules')).out).toContain('No rules yet.')
  expect((await steward('route', 'accept', proposal)).code).toBe(0)
  expect((await steward('route', 'water my roses')).out).toMatch(/^goes to +scriber\n +by a rule/)
  const [rule = ''] = /rule-\w+/.exec((await steward('route', 'rules')).out) ?? []
  expect((await steward('route', 'undo', rule)).out).toContain('is taken back')
  expect((await steward('route', 'water my roses')).out).not.toContain('by a rule')
})

test('[R27] wrong usage says what is allowed', async () => {
  expect(await steward('route')).toMatchObject({ code: 2, err: expect.stringContaining('The text is empty') })
  expect(await steward('route', 'x', '--files', 'many')).toMatchObject({ code: 2, err: expect.stringContaining('a whole number') })
  expect(await steward('route', 'x', '--roster', '/no/such')).toMatchObject({ code: 2, err: expect.stringContaining("can't be read") })
  expect(await steward('route', 'correct', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('--to') })
  expect(await steward('route', 'correct', '--to', 'scout')).toMatchObject({ code: 2, err: expect.stringContaining('a text or --message') })
  expect(await steward('route', 'x', '--project', 'nowhere')).toMatchObject({ code: 1, err: expect.stringContaining('no project') })
})
