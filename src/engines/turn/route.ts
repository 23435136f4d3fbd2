// Routing inside a conversation: each message of a person has a route, recorded with the turn that took it; some of them are for
// somebody else. Owns: what a route leads to. Leaves the decision to routing, the work itself to the worker that gets it.
// Beside it: route-decide.ts (what becomes of a message), route-fact.ts and route-hint.ts (the fact, the words), route-hand.ts (the
// hand-over), route-correction.ts ("that should have gone to ..."), route-relay.ts (what comes back), route-worker.ts.
//
// E40  A person's message is routed once, recorded; a report, an answer and the work of a worker are not.
// E42  Address, mention, open question and a rule of the person decide; keywords and cortex advise, unless nobody else can decide.
import type { JsonObject } from '../../base/json.ts'
import type { Turn } from '../../lanes/engine.ts'
import { userOf } from '../../protocol/actor.ts'
import type { Entry } from '../../protocol/entry.ts'
import { languageOf } from '../../routing/clarify.ts'
import type { Route } from '../../routing/route.ts'
import type { OwnLine } from './ask.ts'
import { type Corrected, type Decided, nothing, type Taken, type Words } from './route-case.ts'
import { correct } from './route-correction.ts'
import { askingIn, type DecideRooms, decide, isExplicit, type Leading } from './route-decide.ts'
import { briefFact, routeFact } from './route-fact.ts'
import { clarify, type Handing, hand, handOver, type Receiver } from './route-hand.ts'
import { hintOf } from './route-hint.ts'
import { shortWhy, told } from './route-words.ts'
import { type Fitting, fittingAgent, scopeOf } from './route-worker.ts'
import type { Setup } from './setup.ts'
import type { Voice } from './voice.ts'

export type RouteRooms = DecideRooms

export type Speaking = {
  readonly turn: Turn
  readonly setup: Setup
  readonly voice: Voice
  /** "That should have gone to X" is heard as a correction. */
  readonly corrects?: boolean
  /** How this engine gives work away, in a few words for the model. */
  readonly how?: string
}

export type TurnRoutes = {
  /** At the start of a turn: all work that it was started with. */
  take(entries: readonly Entry[]): Promise<Taken>
  /** At a safe point, which gives the names: only what is addressed to somebody goes there, the rest is for the running turn. */
  divert(entries: readonly Entry[], safePoint: string): Promise<Taken>
  /** For the model; empty: there is nothing to hint at. */
  readonly blocks: readonly { readonly name: string; readonly text: string }[]
  /** What an agent that runs chains is given, should the leader choose one. */
  readonly chain: JsonObject | null
}

export type Routes = { of(speaking: Speaking): TurnRoutes }

export function openRoutes(rooms: RouteRooms): Routes {
  return { of: (speaking) => turnRoutes(rooms, speaking) }
}

/** Where nothing is routed: all work is the leader's. */
export const noRoutes: TurnRoutes = { take: async () => nothing, divert: async () => nothing, blocks: [], chain: null }

/** Of the messages that a turn takes at once, the newest are routed; a person who wrote more is answered by who leads. */
const mostRouted = 8

function turnRoutes(rooms: RouteRooms, speaking: Speaking): TurnRoutes {
  const { turn, setup, voice, corrects = false, how = '' } = speaking
  if (turn.process.parent !== null) return noRoutes
  const leading: Leading = { process: turn.process, tier: setup.agent.tier, before: turn.before, corrects }
  const inside: Inside = { rooms, turn, voice, leading, last: null }
  return {
    async take(entries) {
      const cases = await routed(inside, wordsIn(entries), '')
      inside.last = cases.at(-1)?.decided ?? null
      const taken = await inTurn(cases, (one) => go(inside, one))
      const would = cases.findLast(({ decided }) => decided.would !== null && !taken.told.has(decided.entry))
      if (would) voice.notice(wouldText(would))
      return taken
    },
    async divert(entries, safePoint) {
      const cases = await routed(inside, wordsIn(entries), `-${safePoint}`)
      return inTurn(cases, (one) => hand(rooms, handingOf(inside, one), one.decided))
    },
    get blocks() {
      const text = inside.last === null ? null : hintOf(inside.last, how)
      return text === null ? [] : [{ name: 'route', text }]
    },
    get chain() {
      return inside.last?.chain ?? null
    },
  }
}

type Inside = Pick<Speaking, 'turn' | 'voice'> & {
  readonly rooms: RouteRooms
  readonly leading: Leading
  /** Of the newest message that the turn began with. */
  last: Decided | null
}

/** A message with what was decided of it; `label` ends the names of its steps. */
type Case = { readonly words: Words; readonly decided: Decided; readonly label: string }

/** One look for all of them, and one fact each. `at` '': the turn's first work; else what came into a running turn. */
async function routed({ rooms, turn, leading }: Inside, given: readonly Words[], at: string): Promise<readonly Case[]> {
  const words = given.slice(-mostRouted)
  if (words.length === 0) return []
  const whole = new Map<string, Route>()
  const decided = await turn.read(`route${at}`, async () => {
    const placed = { ...leading, scope: await scopeOf(rooms.projects, turn.process), corrects: leading.corrects && at === '' }
    const asking = await askingIn(rooms, placed)
    const all: Decided[] = []
    for (const one of words) {
      const found = await decide(rooms, placed, { words: one, asking, text: one.body.text })
      whole.set(one.entry, found.route)
      all.push(at === '' ? found.decided : forRunning(found.decided))
    }
    return all
  })
  return decided.map((one, index) => {
    const label = `${index + 1}${at}`
    const own = wordsOf(words, one)
    note(turn, { decided: one, route: whole.get(one.entry), words: own, name: `route-${label}` })
    return { words: own, decided: one, label }
  })
}

/** What came into a running turn is for it, unless the person's own word sends it elsewhere. */
function forRunning(decided: Decided): Decided {
  return isExplicit(decided) ? decided : { ...decided, goes: { to: 'leader' }, alone: false, would: null, questions: [] }
}

async function go(inside: Inside, one: Case): Promise<Taken> {
  if (one.decided.corrected) return corrected(inside, one, one.decided.corrected)
  if (one.decided.goes.to === 'ask') return clarified(inside, one)
  return hand(inside.rooms, handingOf(inside, one), one.decided)
}

/** One after the other: each asks, says or gives away, in the order of the messages. */
async function inTurn(cases: readonly Case[], act: (one: Case) => Promise<Taken>): Promise<Taken> {
  const taken = new Set<string>()
  const [arrived, answers]: [Entry[], Entry[]] = [[], []]
  const lines: OwnLine[] = []
  for (const one of cases) {
    const came = await act(one)
    for (const entry of came.told) taken.add(entry)
    arrived.push(...came.arrived)
    answers.push(...came.answers)
    lines.push(...came.lines)
  }
  return { told: taken, arrived, answers, lines }
}

function handingOf({ turn, voice }: Inside, { words, label }: Case): Handing {
  return { turn, voice, words, text: words.body.text, name: `give-${label}` }
}

/** One round: what the person answers joins their text, and that is routed again; a second time nothing is asked. */
async function clarified(inside: Inside, one: Case): Promise<Taken> {
  const { rooms, turn, leading } = inside
  const { words, decided, label } = one
  const { text, lines, answers } = await clarify(turn, { words, decided, label })
  if (text === words.body.text) return nothing
  let route: Route | undefined
  const again = await turn.read(`route-again-${label}`, async () => {
    const placed = { ...leading, scope: await scopeOf(rooms.projects, turn.process), corrects: false }
    const found = await decide(rooms, placed, { words, asking: null, text })
    route = found.route
    return found.decided
  })
  note(turn, { decided: again, route, words, name: `route-${label}-again` })
  inside.last = again
  const taken = await hand(rooms, { ...handingOf(inside, one), text }, again)
  if (taken.told.size > 0) return { ...taken, told: new Set([...taken.told, ...answers.map(({ id }) => id)]), answers }
  return { ...nothing, answers, lines: lines.map((line): OwnLine => ({ role: 'user', hub: true, text: line })) }
}

async function corrected(inside: Inside, one: Case, what: Corrected): Promise<Taken> {
  const { rooms, turn, voice } = inside
  const { words, label } = one
  const language = languageOf(words.body.text)
  const { give, arrived } = await correct(rooms, { turn, voice, corrected: what, label, by: words.from, language })
  if (give && what.agent !== turn.process.agent) {
    const fit = await turn.read(`correct-fit-${label}`, () => fittingAgent(rooms, turn.process, what.agent))
    if ('plain' in fit) voice.say(`correct-not-${label}`, { text: fit.plain })
    else await handOver(rooms, { ...handingOf(inside, one), text: what.text }, { ...receiverOf(fit), why: null })
  }
  return { ...nothing, told: new Set([words.entry]), arrived }
}

function receiverOf({ agent, title }: Extract<Fitting, { agent: string }>): Omit<Receiver, 'why'> {
  return { agent, title, link: null, chain: null }
}

type Noting = { readonly decided: Decided; readonly route: Route | undefined; readonly words: Words; readonly name: string }

/** The whole route, or after a restart between its record and this fact what was recorded of it (E41). */
function note(turn: Turn, { decided, route, words, name }: Noting): void {
  const { goes, corrected: correction, alone, would, agents, why, decision, by, confidence } = decided
  const agent = goes.to === 'worker' ? goes.agent : turn.process.agent
  const isAdvice = goes.to === 'leader' && (!alone || would !== null) && by !== null && !isExplicit(decided)
  const as = correction ? 'correction' : isAdvice ? 'hint' : 'decided'
  const whole = route ? routeFact(route) : briefFact({ decision, by, selected: agents, confidence, reasons: [why] })
  turn.note(name, { type: 'route-decided', visibility: 'user-detail', data: { message: words.ref, agent, as, route: whole } })
}

function wouldText({ decided, words }: Case): string {
  return told[languageOf(words.body.text)].would(decided.would ?? '', shortWhy(decided))
}

/** Messages of persons with something in them. */
function wordsIn(entries: readonly Entry[]): readonly Words[] {
  return entries.flatMap(({ id, from, ref = null, body }): Words[] =>
    body.kind === 'message' && userOf(from) !== null && body.text.trim() !== '' ? [{ entry: id, from, ref, body }] : [],
  )
}

function wordsOf(words: readonly Words[], { entry }: Decided): Words {
  const found = words.find((one) => one.entry === entry)
  if (!found) throw new Error(`the route of ${entry} belongs to no message of this turn`)
  return found
}
