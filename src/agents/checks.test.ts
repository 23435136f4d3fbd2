import { describe, expect, test } from 'vitest'
import type { AgentFile } from './agent.ts'
import { buildRoster } from './roster.ts'

const file = (name: string, front = '', more: Partial<AgentFile> = {}): AgentFile => ({
  ...{ path: `agents/${name}.md`, level: 'project', scope: 'site', version: 1 },
  text: `---\nname: ${name}\n${front}---\nI am ${name}.\n`,
  ...more,
})
const faults = (...files: AgentFile[]) => {
  const roster = buildRoster(files, ['quick'])
  return roster.faults.map(({ severity, message }) => `${severity} ${message.replace(' (project site)', '')}`)
}

describe('hand-offs', () => {
  test('[A6] to nobody are named with their line; a name and an alias are somebody', () => {
    const told = faults(
      file('ada', 'handsOff: [bob, rob,\n  eve]\nrouting:\n  fallback: carol\n  escalation: {onFail: reroute, to: dan}\n'),
      file('bob', 'aliases: [rob]\n'),
    )
    const rest = 'here; allowed is the name or alias of an agent that can be asked.'
    expect(told).toEqual([
      `warning agents/ada.md:4: handsOff.2: there is no agent "eve" ${rest}`,
      `warning agents/ada.md:6: routing.fallback: there is no agent "carol" ${rest}`,
      `warning agents/ada.md:7: routing.escalation.to: there is no agent "dan" ${rest}`,
    ])
  })

  test('[A6] to an agent whose own file is broken are to nobody, and it takes neither down', () => {
    const broken = file('bob', 'tier: mega\n')
    const roster = buildRoster([file('ada', 'handsOff: [bob]\n'), broken, file('cy')], ['quick'])
    expect(roster.agents.map((one) => one.name)).toEqual(['ada', 'cy'])
    expect(roster.faults.map((one) => [one.severity, one.path, one.line])).toEqual([
      ['error', 'agents/bob.md', 3],
      ['warning', 'agents/ada.md', 3],
    ])
  })

  test('[A8] in a ring are named once, with the way round, also through aliases and to oneself', () => {
    const files = [
      file('cy', 'handsOff: [ada]\n'),
      file('ada', 'handsOff: [robert]\n'),
      file('bob', 'aliases: [robert]\nhandsOff: [cy]\n'),
      file('me', 'handsOff: [me]\n'),
    ]
    expect(faults(...files)).toEqual([
      'warning agents/ada.md:3: handsOff.0: the hand-offs go round: ada > bob > cy > ada; take one of them away.',
      'warning agents/me.md:3: handsOff.0: the hand-offs go round: me > me; take one of them away.',
    ])
    expect(buildRoster(files, ['quick']).agents).toHaveLength(4)
  })

  test('[A8] of a ring say how many more hang together with it', () => {
    const told = faults(file('a', 'handsOff: [b]\n'), file('b', 'handsOff: [a, c]\n'), file('c', 'handsOff: [b]\n'))
    expect(told).toEqual([
      'warning agents/a.md:3: handsOff.0: the hand-offs go round: a > b > a (1 more agent hangs together with it); take one of them away.',
    ])
  })
})

describe('what spans levels', () => {
  const outer = { level: 'bundled', scope: 'bundled' } as const

  test('[A8, A9] is told of the inner file: that one can be changed', () => {
    const told = faults(
      file('zoe', 'class: garden\ntriggers: [plan]\nhandsOff: [ada]\n'),
      file('ada', 'class: planner\ntriggers: [plan]\nhandsOff: [zoe]\n', outer),
    )
    expect(told).toEqual([
      'warning agents/zoe.md:5: handsOff.0: the hand-offs go round: zoe > ada > zoe; take one of them away.',
      expect.stringContaining('warning agents/zoe.md:4: triggers.0: "plan" is a trigger of ada (planner, agents/ada.md) too'),
    ])
  })
})

describe('phrases', () => {
  test('[A7] a trigger that the agent refuses can never lead to it; whole words, in any case and with marks between', () => {
    const told = faults(file('ada', 'triggers: [Fix the Import, prefix, "re-design it"]\nrefuses: [FIX, design]\n'))
    expect(told).toEqual([
      'warning agents/ada.md:3: triggers.0: "Fix the Import" can never lead to ada, because it refuses "FIX"; take one of the two away.',
      'warning agents/ada.md:3: triggers.2: "re-design it" can never lead to ada, because it refuses "design"; take one of the two away.',
    ])
  })

  test('[A7] a refusal that is longer than a trigger only narrows it', () => {
    expect(faults(file('ada', 'triggers: [fix]\nrefuses: [fix the roof]\n'))).toEqual([])
  })

  test('[A7] umlauts are letters, however they are written', () => {
    expect(faults(file('ada', 'triggers: ["für mich prüfen"]\nrefuses: ["pru\\u0308fen"]\n'))).toHaveLength(1)
    expect(faults(file('ada', 'triggers: [überprüfen]\nrefuses: [prüfen]\n'))).toEqual([])
  })

  test('[A7] without a letter, or a second time, are named; an empty one is an error', () => {
    expect(faults(file('ada', 'triggers:\n  - map\n  - "?!"\n  - Map\n'))).toEqual([
      'warning agents/ada.md:5: triggers.1: "?!" has no letter or digit and is never found; allowed are words.',
      'warning agents/ada.md:6: triggers.2: "Map" stands there already, as entry 1.',
    ])
    expect(faults(file('ada', 'refuses: [map, " "]\n'))).toEqual([
      'error agents/ada.md:3: refuses.1: is " "; an empty text is not allowed.',
    ])
  })

  test('[A9] the same trigger of two classes is a warning, within a class it is not', () => {
    const told = faults(
      file('ada', 'class: scout\ntriggers: [look]\n'),
      file('bob', 'class: coder\ntriggers: [do, look]\n'),
      file('cy', 'class: scout\ntriggers: [look]\n'),
    )
    expect(told).toEqual([
      'warning agents/bob.md:4: triggers.1: "look" is a trigger of ada (scout, agents/ada.md) too, so that it speaks for both; make one more precise.',
    ])
  })
})

describe('seats and sizes', () => {
  test('[A9] two defaults of one class at one place: the second is named; another level may have its own', () => {
    const seat = 'class: coder\nrouting: {default: true}\n'
    const outer = file('cy', seat, { level: 'bundled', scope: 'bundled' })
    expect(faults(file('ada', seat), file('bob', seat), outer)).toEqual([
      'warning agents/bob.md:4: routing.default: ada is the default of the class coder already.',
    ])
  })

  test.each([
    [`triggers: [${Array.from({ length: 501 }, (_, at) => `t${at}`).join(', ')}]`, 'triggers: has 501 entries; allowed are at most 500.'],
    [`triggers: [${'x'.repeat(201)}]`, 'triggers.0: has 201 characters; allowed are at most 200.'],
    [`aliases: [${Array.from({ length: 51 }, (_, at) => `t${at}`).join(', ')}]`, 'aliases: has 51 entries; allowed are at most 50.'],
    [`handsOff: [${Array.from({ length: 101 }, (_, at) => `t${at}`).join(', ')}]`, 'handsOff: has 101 entries; allowed are at most 100.'],
    [
      'routing: {defualt: true}',
      'routing: has the unknown "defualt"; allowed: default, fallback, requiresHostTier, degradedMode, escalation.',
    ],
    ['routing: {escalation: {onFail: panic}}', 'routing.escalation.onFail: is "panic"; allowed: reroute, escalate-tier.'],
    ['routing: {escalation: {onFail: reroute, upto: 3}}', 'routing.escalation: has the unknown "upto"; allowed: onFail, to, most.'],
  ])('[A10] size %# is named with what is allowed', (line, expected) => {
    const roster = buildRoster([file('ada', `${line}\n`), file('bob')], ['quick'])
    expect(roster.agents.map((one) => one.name)).toEqual(['bob'])
    expect(roster.faults.map(({ message }) => message).join('\n')).toContain(expected)
  })

  test('[A10] a very long persona is a warning, and more agents than a place can have are left out', () => {
    expect(faults(file('ada', '', { text: `---\nname: ada\n---\n${'x'.repeat(40_001)}` }))[0]).toContain('persona: the text below')
    const many = Array.from({ length: 2_001 }, (_, at) => file(`a${String(at).padStart(4, '0')}`))
    const roster = buildRoster(many, ['quick'])
    expect(roster.agents).toHaveLength(2_000)
    expect(roster.faults.map(({ message }) => message)).toEqual([
      'agents/a2000.md:1 (project site): there are 2001 agents here, and at most 2000 are allowed; this one and those after it are left out.',
    ])
  })

  test('[A10] long lists of phrases that nearly meet take linear work', () => {
    const phrase = (at: number) =>
      Array.from({ length: 60 }, (_, word) => `w${(at * word) % 97}`)
        .join(' ')
        .slice(0, 199)
    const list = (from: number) => JSON.stringify(Array.from({ length: 500 }, (_, at) => phrase(at + from)))
    const roster = buildRoster([file('ada', `triggers: ${list(1)}\nrefuses: ${list(1000)}\n`)], ['quick'])
    expect(roster.agents).toHaveLength(1)
  })

  test('[A3] an alias that an inner level took as its name is no fault', () => {
    const outer = file('scout', 'aliases: [atlas]\n', { level: 'bundled', scope: 'bundled' })
    const roster = buildRoster([outer, file('atlas')], ['quick'])
    expect(roster.faults).toEqual([])
    expect(roster.find('atlas')?.name).toBe('atlas')
  })
})
