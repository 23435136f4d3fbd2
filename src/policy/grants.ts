// Grants as a person handles them: listed, given in advance, revoked. Their facts stand in the stream `policy:<user>`.
import { Forbidden, InvalidInput } from '../base/errors.ts'
import { streamLane } from '../base/ids.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import { type Actor, userOf } from '../protocol/actor.ts'
import type { Grant } from './decision.ts'
import { policyFacts } from './facts.ts'
import { checkMaxRisk, isLive } from './grant.ts'
import { checkPattern } from './pattern.ts'
import type { Grants, NewGrant } from './policy.ts'
import type { PolicyRooms } from './rooms.ts'
import { highestRemembered } from './rule.ts'

const fold = { empty: null, evolve: () => null }

export function openGrants(rooms: PolicyRooms, caughtUp: () => Promise<void>): Grants {
  const { view, journal, store, clock, newId } = rooms
  const fact = policyFacts({ now: clock.now, newId })
  const streams = new Map<string, Stream<null>>()
  const streamOf = (user: string) => {
    const stream = streams.get(user) ?? openStream({ journal, store }, streamLane(`policy:${user}`), { fold })
    streams.set(user, stream)
    return stream
  }
  return {
    async list({ user, ended = false }) {
      await caughtUp()
      return view.grants({ user, now: clock.now(), ended })
    },
    async add(given, by) {
      checkPerson(given.user, by)
      const grant = newGrant(given, { id: `grt_${newId('evt').slice(4)}`, now: clock.now() })
      const { cursor } = await streamOf(given.user).change(() => [fact('grant-added', { grant }, by)])
      await journal.passed(cursor, view.projection.name)
      return grant
    },
    async revoke(id, user, by) {
      checkPerson(user, by)
      await caughtUp()
      const grant = await view.grant(id)
      if (grant === null || grant.user !== user || !isLive(grant, clock.now())) return false
      const { cursor } = await streamOf(user).change(() => [fact('grant-revoked', { grant: id, user }, by)])
      await journal.passed(cursor, view.projection.name)
      return true
    },
  }
}

/** Only a person gives, and only in their own name. */
function checkPerson(user: string, by: Actor): void {
  if (userOf(by) !== user) throw new Forbidden('Grants are given and taken back by the person whose they are, and by nobody else.')
}

function newGrant(given: NewGrant, { id, now }: { readonly id: string; readonly now: number }): Grant {
  const { scope } = given
  if (scope !== 'project' && scope !== 'always') {
    throw new InvalidInput('The scope of a grant that is made in advance is "project" or "always".', { path: '/scope' })
  }
  if (scope === 'project' && !given.project) throw new InvalidInput('A grant for a project names the project.', { path: '/project' })
  return {
    id,
    user: given.user,
    subject: checkSubject(given.subject ?? '*'),
    capability: checkCapability(given.capability),
    resource: checkPattern(given.resource ?? '*', '/resource'),
    scope,
    within: scope === 'project' ? (given.project ?? null) : null,
    taint: 'none',
    maxRisk: checkMaxRisk(given.maxRisk ?? highestRemembered),
    createdAt: now,
    expiresAt: checkEnd(given.expiresAt, now),
    revokedAt: null,
    approval: null,
  }
}

function checkSubject(subject: string): string {
  if (/^(\*|[a-z][a-z0-9_-]{0,63})$/.test(subject)) return subject
  throw new InvalidInput(`"${subject.slice(0, 64)}" is no agent's name; allowed are an agent's name or "*".`, { path: '/subject' })
}

function checkCapability(capability: string): string {
  if (/^[a-z]+(\.[a-z]+)*(\.\*)?$/.test(capability)) return capability
  const message = `"${capability.slice(0, 64)}" is no capability; allowed are words such as fs.write, exec, web.send, or a family such as fs.*.`
  throw new InvalidInput(message, { path: '/capability' })
}

function checkEnd(expiresAt: number | undefined, now: number): number | null {
  if (expiresAt === undefined) return null
  if (Number.isSafeInteger(expiresAt) && expiresAt > now) return expiresAt
  throw new InvalidInput('The end of a grant is a time to come, in milliseconds since 1970.', { path: '/expiresAt' })
}
