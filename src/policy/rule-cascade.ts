// The rules that hold at a place: `policy.yaml` of every level of the cascade, and the project's own `policy` field. Unlike other
// documents an inner one hides no outer one: all of them speak, and precedence decides (levels.ts).
import { userOfHome } from '../scopes/names.ts'
import type { Document, DocumentLevel, Documents, Projects, ScopeRef } from '../scopes/scopes.ts'
import type { Where } from './decision.ts'
import type { Level } from './levels.ts'
import { parseRules, policyFile, type RuleSet, rulesOf } from './rule.ts'

export type RulePlace = Pick<Where, 'user' | 'project'> & Partial<Pick<Where, 'process'>>
export type RuleCascade = {
  /** From memory until a policy document changes. Never throws for a wrong document: its faults are among the answer. */
  at(place: RulePlace): Promise<RuleSet>
  close(): void
}

const levelOf: Readonly<Record<DocumentLevel, Level>> = {
  process: 'run',
  project: 'project',
  home: 'user',
  group: 'system',
  tenant: 'system',
  bundled: 'system',
}
const mostPlaces = 500

type Rooms = { readonly documents: Pick<Documents, 'find' | 'onChange'>; readonly projects: Pick<Projects, 'get'> }

export function openRuleCascade({ documents, projects }: Rooms): RuleCascade {
  const kept = new Map<string, Promise<RuleSet>>()
  const forget = documents.onChange(policyFile, () => kept.clear())
  const fields = new Map<string, RuleSet>()

  async function read(scopes: readonly ScopeRef[]): Promise<RuleSet> {
    const found = new Map<string, Document>()
    for (const scope of scopes) {
      const document = await documents.find(policyFile, scope)
      if (document !== null) found.set(`${document.level} ${document.scope}`, document)
    }
    return joined([...found.values()].map(rulesIn))
  }

  function fromMemory({ user, project, process }: RulePlace, group: string | undefined): Promise<RuleSet> {
    const key = JSON.stringify([user, project, process, group])
    const present = kept.get(key)
    if (present) return present
    if (kept.size >= mostPlaces) kept.clear()
    const scopes: ScopeRef[] = [
      ...(process === undefined ? [] : [{ process }]),
      { user },
      { project },
      ...(group === undefined ? [] : [{ group }]),
      {},
    ]
    const reading = read(scopes)
    kept.set(key, reading)
    // A failure is not kept: the next call reads again.
    reading.catch(() => kept.get(key) === reading && kept.delete(key))
    return reading
  }

  return {
    async at(place) {
      const project = await projects.get(place.project)
      const written = await fromMemory(place, project?.group)
      const field = project === null ? null : fieldRules(fields, project.name, project.policy)
      return field === null ? written : joined([written, field])
    },
    close: forget,
  }
}

/** null for an empty one, which most are. */
function fieldRules(fields: Map<string, RuleSet>, project: string, policy: Parameters<typeof rulesOf>[0]): RuleSet | null {
  if (Object.keys(policy).length === 0) return null
  const key = `${project} ${JSON.stringify(policy)}`
  const known = fields.get(key)
  if (known) return known
  if (fields.size >= mostPlaces) fields.clear()
  const level: Level = userOfHome(project) === null ? 'project' : 'user'
  const read = rulesOf(policy, { level, place: `the policy of the project ${project}` })
  fields.set(key, read)
  return read
}

function rulesIn({ level, scope, text }: Document): RuleSet {
  return parseRules(text, {
    level: levelOf[level],
    place: level === 'bundled' ? `${policyFile} (bundled)` : `${policyFile} (${level} ${scope})`,
  })
}

function joined(sets: readonly RuleSet[]): RuleSet {
  return { rules: sets.flatMap(({ rules }) => rules), faults: sets.flatMap(({ faults }) => faults) }
}
