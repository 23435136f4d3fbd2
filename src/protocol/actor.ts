// Who did it. One text, so that it reads the same in the journal, on the wire and in a table.

export type Actor =
  | `user:${string}` // a person, by login name
  | `process:${string}` // an agent at work: prc_...
  | `schedule:${string}` // a schedule's slot
  | `outside:${string}` // a webhook, a peer, a channel's stranger
  | 'system' // the hub itself

export function userActor(name: string): Actor {
  return `user:${name}`
}

/** The login name of a person's actor, null for every other. */
export function userOf(actor: Actor): string | null {
  return actor.startsWith('user:') ? actor.slice(5) : null
}
