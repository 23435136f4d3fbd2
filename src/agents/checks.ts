// What is wrong between agents, or in one agent against itself, although each file can be read. All of it is a warning: the agent can be
// asked by name all the same, and one mistake of a file must not take a person's agent away (A6 to A9). Pure.
import { documentLevels } from '../scopes/scopes.ts'
import { type Agent, type Fault, faultIn, type LineOf } from './agent.ts'
import { ringsAmong } from './rings.ts'

/** An agent with what finds the lines of its file. */
export type Read = { readonly agent: Agent; readonly lineOf: LineOf }
export type Find = (called: string) => Agent | null

/** Above it a persona takes a good part of what a model call may hold. */
const longPersona = 40_000

/** Of one file and kind; whoever made so many of them made one mistake. */
const mostOfAKind = 20

/** The faults of these agents, file by file. `find`: by name or alias, as the roster has it. */
export function checkAgents(all: readonly Read[], find: Find): readonly Fault[] {
  const own = all.flatMap((one) => [...few(phraseFaults(one)), ...few(nobodyFaults(one, find)), ...sizeFaults(one)])
  return [...own, ...ringFaults(all, find), ...sharedFaults(all), ...seatFaults(all)]
}

function few(faults: readonly Fault[]): readonly Fault[] {
  const last = faults[mostOfAKind - 1]
  if (last === undefined || faults.length === mostOfAKind) return faults
  const message = `${last.message.replace(/\.$/, '')}; and ${faults.length - mostOfAKind} more of the kind.`
  return [...faults.slice(0, mostOfAKind - 1), { ...last, message }]
}

function fault({ agent, lineOf }: Read, path: readonly PropertyKey[], message: string): Fault {
  const field = path.map(String).join('.')
  return faultIn(agent.source, { severity: 'warning', line: lineOf(path), field, message: `${field}: ${message}` })
}

// ---- phrases

/** Phrases that can never be found, stand there twice, or can never lead to the agent because it refuses them (A7). */
function phraseFaults(one: Read): readonly Fault[] {
  const refused = new Map(one.agent.refuses.map((phrase) => [wordsOf(phrase).join(' '), phrase]))
  return [
    ...listFaults(one, 'triggers'),
    ...listFaults(one, 'refuses'),
    ...one.agent.triggers.flatMap((trigger, at) => {
      const refuses = refusalIn(wordsOf(trigger), refused)
      if (refuses === null) return []
      const message = `"${trigger}" can never lead to ${one.agent.name}, because it refuses "${refuses}"; take one of the two away`
      return [fault(one, ['triggers', at], message)]
    }),
  ]
}

function listFaults(one: Read, field: 'triggers' | 'refuses'): readonly Fault[] {
  const seen = new Map<string, number>()
  return one.agent[field].flatMap((phrase, at) => {
    const plain = wordsOf(phrase).join(' ')
    if (plain === '') return [fault(one, [field, at], `"${phrase}" has no letter or digit and is never found; allowed are words`)]
    const first = seen.get(plain)
    seen.set(plain, first ?? at)
    return first === undefined ? [] : [fault(one, [field, at], `"${phrase}" stands there already, as entry ${first + 1}`)]
  })
}

/** The first of those phrases that lies in these words, whole words only. A look-up for each run of words, so a long list costs little. */
function refusalIn(words: readonly string[], refused: ReadonlyMap<string, string>): string | null {
  if (refused.size === 0) return null
  for (let from = 0; from < words.length; from++) {
    let run = ''
    for (const word of words.slice(from)) {
      run = run === '' ? word : `${run} ${word}`
      const found = refused.get(run)
      if (found !== undefined) return found
    }
  }
  return null
}

/** Lower case, in the form in which texts are compared; what is neither letter nor digit parts words. */
function wordsOf(phrase: string): readonly string[] {
  return (
    phrase
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  )
}

/**
 * The same trigger of two agents of different classes: a text with it speaks for both (A9). Within a class that is as it should be. Told
 * of the inner level's file: that is the one that can be changed.
 */
function sharedFaults(all: readonly Read[]): readonly Fault[] {
  const first = new Map<string, Agent>()
  const outerFirst = [...all].sort((a, b) => levelOf(b) - levelOf(a))
  return outerFirst.flatMap((one) => {
    const shared = one.agent.triggers.flatMap((trigger, at) => {
      const plain = wordsOf(trigger).join(' ')
      const other = first.get(plain)
      if (other === undefined) first.set(plain, one.agent)
      const isOther = other !== undefined && other.class !== one.agent.class
      return isOther ? [fault(one, ['triggers', at], sharedWith(trigger, other))] : []
    })
    return few(shared)
  })
}

function sharedWith(trigger: string, other: Agent): string {
  return `"${trigger}" is a trigger of ${other.name} (${other.class}, ${other.source.path}) too, so that it speaks for both; make one more precise`
}

// ---- hand-offs

/** Names that nobody has (A6). */
function nobodyFaults(one: Read, find: Find): readonly Fault[] {
  const { handsOff, routing } = one.agent
  const named: readonly (readonly [readonly PropertyKey[], string | undefined])[] = [
    ...handsOff.map((name, at) => [['handsOff', at], name] as const),
    [['routing', 'fallback'], routing.fallback],
    [['routing', 'escalation', 'to'], routing.escalation?.to],
  ]
  return named.flatMap(([path, name]) => {
    if (name === undefined || find(name) !== null) return []
    return [fault(one, path, `there is no agent "${name}" here; allowed is the name or alias of an agent that can be asked`)]
  })
}

/**
 * Rings of hand-offs (A8). A ring is no error: a chain has each class once and causes have a greatest depth, so nothing runs round and
 * round. But no order follows from it, and most often it is a mistake.
 */
function ringFaults(all: readonly Read[], find: Find): readonly Fault[] {
  const targets = new Map(all.map(({ agent }) => [agent.name, agent.handsOff.flatMap((name) => find(name)?.name ?? [])]))
  const read = new Map(all.map((one) => [one.agent.name, one]))
  return ringsAmong(targets).flatMap(({ ring: found, more }) => {
    const ring = innermostFirst(found, read)
    const [start = '', next = start] = ring
    const one = read.get(start)
    if (one === undefined) return []
    const at = one.agent.handsOff.findIndex((name) => find(name)?.name === next)
    const others = more > 0 ? ` (${more} more ${more === 1 ? 'agent hangs' : 'agents hang'} together with it)` : ''
    const message = `the hand-offs go round: ${[...ring, start].join(' > ')}${others}; take one of them away`
    return [fault(one, ['handsOff', at], message)]
  })
}

function innermostFirst(ring: readonly string[], read: ReadonlyMap<string, Read>): readonly string[] {
  const levels = ring.map((name) => levelOf(read.get(name)))
  const at = levels.indexOf(Math.min(...levels))
  return [...ring.slice(at), ...ring.slice(0, at)]
}

function levelOf(one: Read | undefined): number {
  return one === undefined ? documentLevels.length : documentLevels.indexOf(one.agent.source.level)
}

/** Two agents of one place that both want to win their class's ties; the first one keeps that. */
function seatFaults(all: readonly Read[]): readonly Fault[] {
  const held = new Map<string, Agent>()
  return all.flatMap((one) => {
    const { agent } = one
    if (agent.routing.default !== true) return []
    const key = JSON.stringify([agent.class, agent.source.level, agent.source.scope])
    const first = held.get(key)
    if (first === undefined) held.set(key, agent)
    return first === undefined
      ? []
      : [fault(one, ['routing', 'default'], `${first.name} is the default of the class ${agent.class} already`)]
  })
}

// ---- sizes

function sizeFaults(one: Read): readonly Fault[] {
  const { length } = one.agent.persona
  if (length <= longPersona) return []
  const message = `the text below the front matter has ${length} characters, and every call of a model pays for them; up to ${longPersona} are well`
  return [faultIn(one.agent.source, { severity: 'warning', line: 1, field: 'persona', message: `persona: ${message}` })]
}
