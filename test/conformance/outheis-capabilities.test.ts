// Recorded facts about outheis' narrow agents and about what follows a failure, over our own tables.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { laneOf } from '../../src/base/ids.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import { engine, openHeart, textOf } from '../../src/lanes/testing.ts'
import { classPledge, isPledged, narrowPledge } from '../../src/policy/capability.ts'
import { classOf, failureClasses, mostRetries, nextStep, outageStep, probeEveryMs } from '../../src/policy/retry.ts'
import { describeShared } from '../shared.ts'

const capability = (word: string) => (word === 'execute' ? 'exec' : word.replaceAll(':', '.'))
const matrix = z.looseObject({ matrix: z.record(z.string(), z.record(z.string(), z.union([z.array(z.string()), z.boolean()]))) })
const row = z.looseObject({
  id: z.string(),
  agent: z.string().optional(),
  need: z.string().optional(),
  allow: z.boolean().optional(),
  seq: z.array(z.string()).optional(),
  expect: z.string().optional(),
})

describeShared('[D5] outheis: capabilities', 'outheis/capability-matrix.json', ({ rows, file }) => {
  test.each(Object.entries(matrix.parse(file).matrix))(
    '[D5] the pledge of %s holds what its row says, and nothing else of these',
    (agent, held) => {
      const said = Object.entries(held).flatMap(([what, how]) =>
        Array.isArray(how) ? how.map((one) => capability(`${what}:${one}`)) : how ? [capability(what)] : [],
      )
      // Who may write may write what was imported.
      if (said.includes('vault.write')) said.push('vault.write.import')
      const known = [
        'vault.read',
        'vault.write',
        'vault.write.import',
        'insights.read',
        'insights.write',
        'rules.read',
        'rules.write',
        'network',
        'exec',
      ]
      expect(known.filter((one) => isPledged(classPledge(agent), one)).sort()).toEqual([...said].sort())
    },
  )

  test.each(rows.map((one) => row.parse(one)).map((one) => [one.id, one] as const))('[D5] %s', (_id, one) => {
    if (one.agent !== undefined && one.need !== undefined)
      return expect(isPledged(classPledge(one.agent), capability(one.need))).toBe(one.allow)
    const steps = (one.seq ?? []).map((step) =>
      step
        .replace(/^pledge /, '')
        .split(',')
        .map(capability),
    )
    const [first = [], ...rest] = steps
    let held: readonly string[] = first
    const refused = rest.flatMap((wanted, at) => {
      try {
        held = narrowPledge(held, wanted)
        return []
      } catch (thrown) {
        expect(String(thrown)).toContain('only ever narrowed')
        return [ordinals[at + 1]]
      }
    })
    expect(refused).toEqual(ordinals.filter((word) => one.expect?.includes(`${word} refused`)))
  })
})

const failure = z.looseObject({
  id: z.string(),
  class: z.enum(failureClasses).optional(),
  action: z.union([z.string(), z.array(z.string())]).optional(),
  max: z.number().optional(),
  expect: z.string().optional(),
})
const ordinals: readonly string[] = ['first', 'second', 'third', 'fourth', 'fifth']
const half = () => 0.5

describeShared('[D13] outheis: retries and errors', 'outheis/retry-and-errors.json', ({ rows }) => {
  test.each(rows.map((one) => failure.parse(one)).map((one) => [one.id, one] as const))('[D13] %s', async (id, one) => {
    if (one.class !== undefined) return expectAction(one)
    if (one.expect?.startsWith('fallback mode')) {
      const down = outageStep(null, false, 0)
      expect([down.tell, outageStep(down.outage, false, 1).tell, outageStep(down.outage, null, probeEveryMs).probe]).toEqual([
        'down',
        null,
        true,
      ])
      expect(outageStep(down.outage, true, 2)).toEqual({ outage: null, tell: 'up', probe: false })
      return expect(one.expect).toContain(`probe ${probeEveryMs / 60_000} min`)
    }
    if (!('observed_contract' in one)) throw new Error(`no call for the case ${id}`)
    expect(classOf({})).toBe('persistent')
    await checkFailureAnswers()
  })
})

/** Who asked an agent that breaks gets one answer that says so, and it is the answer to that request. */
async function checkFailureAnswers(): Promise<void> {
  let child: ProcessInfo | null = null
  const broken = engine('broken', async () => {
    throw new Error('at /srv/secret.ts:12')
  })
  const asking = engine('asking', async (turn) => {
    if (child === null) throw new Error('nobody to ask')
    const answer = await turn.ask('child', { kind: 'delegation', lane: laneOf(child.id), text: 'the work' }, { wake: false })
    turn.say('reply', { text: JSON.stringify(answer) })
  })
  const heart = await openHeart({ engines: [broken, asking] })
  child = await heart.process('broken', { facesPerson: false })
  const boss = await heart.process('asking')
  await heart.say(boss, 'go')
  await heart.until((event) => event.type === 'turn-settled' && event.lane === laneOf(boss.id))
  const said = (await heart.events()).filter((event) => event.type === 'chat-message-appended').map(textOf)
  expect(said.filter((text) => text.includes('"outcome":"failed"'))).toHaveLength(1)
  await heart.close()
}

function expectAction({ class: kind = 'persistent', action, max }: z.infer<typeof failure>): void {
  const step = nextStep({ class: kind, attempt: 1 }, half)
  if (action === 'retry') {
    expect(step.action).toBe('retry')
    expect(max).toBe(mostRetries)
    expect(nextStep({ class: kind, attempt: mostRetries + 1 }, half).action).toBe('abort')
  } else if (action === 'ask user') expect(step).toEqual({ action: 'ask' })
  else expect(step).toMatchObject({ action: 'abort', inform: true, log: true })
}
