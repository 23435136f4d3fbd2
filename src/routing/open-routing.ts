// Routing over the rooms that it needs: who is there (agents), what holds there (documents, settings), what was said (conversation).
// A place is made ready once for each version of roster and rules, and kept while it is used.
import type { Agents } from '../agents/agents.ts'
import type { Roster } from '../agents/roster.ts'
import type { NewId } from '../base/ids.ts'
import { type Log, silent } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Conversation, Documents, Projects, ScopeRef, Settings } from '../scopes/scopes.ts'
import { inOrder, openRoutingCascade, type PlacedRule, type RoutingRules } from './cascade.ts'
import { type Corrected, openCorrections } from './corrections.ts'
import { routeAt } from './ladder.ts'
import { openRules } from './learned.ts'
import { type Place, placeOf, placeOfTable, rosterVersionOf } from './place.ts'
import { openProposals } from './proposals.ts'
import { type Routing, routingModes } from './routing.ts'

export type RoutingRooms = {
  readonly agents: Pick<Agents, 'roster'>
  readonly documents: Pick<Documents, 'find' | 'versions' | 'write' | 'onChange'>
  readonly settings: Pick<Settings, 'getForUser'>
  readonly projects: Pick<Projects, 'get'>
  readonly conversation: Pick<Conversation, 'past'>
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: { readonly now: () => number }
  readonly newId: NewId
  readonly log?: Log
}

/** Places that are kept ready: by roster and rules, so that projects which have the same share one. */
const mostPlaces = 50
const mostTold = 1000

type Ready = { readonly roster: Roster; readonly rules: RoutingRules; readonly place: Place }

export function openRouting(rooms: RoutingRooms): Routing {
  const { agents, documents, settings, log = silent } = rooms
  const cascade = openRoutingCascade(rooms)
  const versions = new WeakMap<Roster, string>()
  const places = new Map<string, Place>()
  const tell = teller(log)

  function ready(roster: Roster, rules: RoutingRules): Place {
    const rosterVersion = versions.get(roster) ?? rosterVersionOf(roster)
    versions.set(roster, rosterVersion)
    const key = `${rosterVersion} ${rules.version}`
    const present = places.get(key)
    if (present) return present
    if (places.size >= mostPlaces) places.clear()
    const place = placeOf(roster, rules, rosterVersion)
    places.set(key, place)
    return place
  }

  async function at(scope: ScopeRef): Promise<Ready> {
    const [roster, rules] = await Promise.all([agents.roster(scope), cascade.at(scope)])
    for (const fault of rules.faults) tell(fault.message)
    return { roster, rules, place: ready(roster, rules) }
  }

  const proposals = openProposals({ ...rooms, now: rooms.clock.now })
  return {
    route: async ({ scope, ...asked }) => routeAt((await at(scope)).place, asked),
    async mode(scope) {
      const set = await settings.getForUser('routing', scope)
      return routingModes.find((mode) => mode === set) ?? (await cascade.at(scope)).mode
    },
    cortex: async (scope) => (await at(scope)).place.cortex,
    routeWith: (table, asked) => routeAt(placeOfTable(table), asked),
    corrections: openCorrections({
      documents,
      conversation: rooms.conversation,
      proposals,
      now: rooms.clock.now,
      at: async (scope) => corrected(await at(scope)),
    }),
    faults: async (scope) => faultsOf(await at(scope)),
    close: cascade.close,
  }
}

function corrected({ roster, rules, place }: Ready): Corrected {
  return {
    place,
    rules,
    triggers: (agent) => roster.find(agent)?.triggers ?? [],
    with: (rule: PlacedRule) => ({ ...place, rules: openRules(inOrder([rule, ...rules.rules])) }),
  }
}

/** Of the documents, and what in them speaks of nobody who is there. */
function faultsOf({ roster, rules }: Ready): readonly string[] {
  const lists = [...rules.keywords].filter(([name, words]) => words.length > 0 && roster.find(name) === null)
  const idle = rules.rules.filter(({ to }) => roster.find(to) === null)
  return [
    ...rules.faults.map(({ message }) => message),
    ...lists.map(([name]) => `The keywords of "${name}" do nothing: nobody here is called so.`),
    ...idle.map(({ id, to }) => `The routing rule ${id} does nothing: nobody here is called "${to}".`),
  ]
}

/** Each fault once, not at every message. */
function teller(log: Log): (message: string) => void {
  const told = new Set<string>()
  return (message) => {
    if (told.has(message)) return
    if (told.size >= mostTold) told.clear()
    told.add(message)
    log('warn', message)
  }
}
