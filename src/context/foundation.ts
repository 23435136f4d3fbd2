// The foundation of a session: what stands at the head of every call, frozen at the first one and reused byte by byte. What changes
// afterwards is said behind it, as an overlay, until a person accepts a rebase or a new session starts (prompt-cache invariant of
// reference/hue.md 7). Pure.
import { z } from 'zod'
import { sha256 } from '../base/hash.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { markOf } from './frame.ts'
import { type Facts, foldersText, systemText } from './system.ts'

/** Which text the persona is: enough to find it again; null where an engine brings it along. */
export type PersonaSource = { readonly path: string; readonly version: number; readonly hash: string }

/** What overlays are told by: texts by their hash, because they stand in the foundation's own text. */
export type FrozenFacts = Omit<Facts, 'persona' | 'discovery'> & { readonly personaHash: string; readonly discoveryHash: string }

export type Frozen = {
  readonly process: string
  /** In which part the engine asks: `main`. */
  readonly as: string
  /** How often the session was rebased before. */
  readonly rebased: number
  /** Of the text. */
  readonly hash: string
  readonly facts: FrozenFacts
  readonly source: PersonaSource | null
}
export type Foundation = Frozen & { readonly text: string }

export type Present = {
  readonly process: string
  readonly as: string
  readonly rebased: number
  readonly facts: Facts
  readonly source: PersonaSource | null
}

export function freeze({ facts, ...present }: Present): Foundation {
  const text = systemText(facts, markOf(present.process))
  const { persona, discovery, ...rest } = facts
  const hashes = { personaHash: sha256(persona), discoveryHash: sha256(discovery ?? '') }
  return { ...present, facts: { ...rest, ...hashes }, text, hash: sha256(text) }
}

/** As a fact of the journal. The text goes along unless it is so long that it is stored apart, by its hash. */
export function frozenFact({ facts, source, text, ...rest }: Foundation, isInline: boolean): JsonObject {
  const language = facts.language ?? null
  return { ...rest, facts: { ...facts, language }, ...(source ? { source } : {}), ...(isInline ? { text } : {}) }
}

const frozen = z.object({
  process: z.string(),
  as: z.string(),
  rebased: z.number(),
  hash: z.string(),
  text: z.string().exactOptional(),
  facts: z.object({
    personaHash: z.string(),
    discoveryHash: z.string(),
    agent: z.object({ name: z.string(), title: z.string() }),
    project: z.object({ name: z.string(), title: z.string(), isHome: z.boolean() }),
    roots: z.array(z.string()),
    tools: z.array(z.string()),
    language: z.string().nullable(),
  }),
  source: z.looseObject({ path: z.string(), version: z.number(), hash: z.string() }).exactOptional(),
})

/** What such a fact froze; null when it is none, or its text is another one than it says. `text` null: it is stored apart. */
export function frozenOf(fact: unknown): (Frozen & { readonly text: string | null }) | null {
  const read = frozen.safeParse(fact)
  if (!read.success) return null
  const { source, text = null, ...rest } = read.data
  if (text !== null && sha256(text) !== rest.hash) return null
  return { ...rest, text, source: source === undefined ? null : { path: source.path, version: source.version, hash: source.hash } }
}

/** What is different since then, each in a sentence or two for the model. [] when nothing is. */
export function overlaysOf({ facts: then }: Frozen, { facts: now }: Present): readonly string[] {
  const gone = then.tools.filter((tool) => !now.tools.includes(tool))
  const added = now.tools.filter((tool) => !then.tools.includes(tool))
  const isNamed = then.agent.title === now.agent.title && then.agent.name === now.agent.name
  return [
    ...(isNamed ? [] : [`You are now called ${now.agent.title} (@${now.agent.name}).`]),
    ...(then.personaHash === sha256(now.persona)
      ? []
      : [`Your instructions were changed. They are now, instead of the ones at the top:\n\n${now.persona}`]),
    ...(then.project.title === now.project.title ? [] : [`The project is now called "${now.project.title}".`]),
    ...(same(then.roots, now.roots) ? [] : [`Its folders were changed. ${foldersText(now.roots)}`]),
    ...(gone.length === 0 ? [] : [`You no longer have: ${gone.join(', ')}.`]),
    ...(added.length === 0 ? [] : [`You now also have: ${added.join(', ')}.`]),
    ...(then.discoveryHash === sha256(now.discovery ?? '') ? [] : [now.discovery || 'There are no tools but those that are given.']),
    ...((then.language ?? null) === (now.language ?? null) ? [] : [languageText(now.language ?? null)]),
  ]
}

function languageText(language: string | null): string {
  return language === null ? 'No language is set any more.' : `Answer in the language "${language}" from now on, unless asked for another.`
}

function same(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
