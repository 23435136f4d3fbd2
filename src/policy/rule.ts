// Rules as data: what a `policy.yaml` holds, read so that each fault has its line. A document with a fault allows nothing more than
// it would if it were whole: while it is broken, everything that a rule could forbid is refused (D2).
import { stringify } from 'yaml'
import { z } from 'zod'
import { messageOf } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { readYaml } from '../base/yaml.ts'
import { coversCapability, harmless } from './capability.ts'
import { type Risk, risks } from './decision.ts'
import { type Effect, effects, type Level } from './levels.ts'
import { checkPattern, matches, type Pattern, parsePattern, specificityOf } from './pattern.ts'

export const policyFile = 'policy.yaml'
/** Above it every act needs its own yes: no rule and no grant remembers one. */
export const highestRemembered: Risk = 'R3'
const mostRules = 500
const mostCharacters = 256_000

const ruleSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'allowed are 1 to 64 lower case letters, digits, ".", "-" and "_"'),
  effect: z.enum(effects),
  capability: z.string().regex(/^(\*|[a-z]+(\.[a-z]+)*(\.\*)?)$/, 'allowed are a capability such as fs.write, a family such as fs.*, or *'),
  resource: z.string().default('*'),
  agent: z
    .string()
    .regex(/^(\*|[a-z][a-z0-9_-]{0,63})$/, "allowed are an agent's name or *")
    .default('*'),
  /** allow: up to this risk; ask and deny: from this risk on. */
  risk: z.enum(risks).exactOptional(),
  reason: z.string().trim().min(1).max(300).exactOptional(),
})
const documentSchema = z.strictObject({ rules: z.array(z.unknown()).max(mostRules, `at most ${mostRules} rules`).default([]) })

export type Rule = {
  readonly id: string
  readonly effect: Effect
  readonly capability: string
  readonly resource: Pattern
  readonly agent: string
  readonly risk: Risk
  readonly level: Level
  readonly specificity: number
  /** For a person: its reason, or what it says. */
  readonly text: string
}

/** `place`: for messages, as in `policy.yaml (project shop)`. */
export type RuleSource = { readonly level: Level; readonly place: string }
export type RuleFault = { readonly place: string; readonly line: number; readonly message: string }
export type RuleSet = { readonly rules: readonly Rule[]; readonly faults: readonly RuleFault[] }

/** Never throws. With faults there are no rules: `decide` then refuses for the whole level. Pure. */
export function parseRules(text: string, source: RuleSource): RuleSet {
  const yaml = readYaml(text, { mostCharacters })
  const fault = (line: number, message: string): RuleFault => ({
    place: source.place,
    line,
    message: `${source.place}, line ${line}: ${message}.`,
  })
  if ('message' in yaml) return { rules: [], faults: [fault(yaml.line, yaml.message)] }
  return readRules(yaml.value ?? {}, source, (path, message) => fault(yaml.lineOf(path), message))
}

/** The same from a project's own `policy` field: `{rules: [...]}`. */
export function rulesOf(value: Readonly<Record<string, unknown>>, source: RuleSource): RuleSet {
  return Object.keys(value).length === 0 ? { rules: [], faults: [] } : parseRules(stringify(value), source)
}

type Faulty = (path: readonly PropertyKey[], message: string) => RuleFault

function readRules(value: unknown, source: RuleSource, fault: Faulty): RuleSet {
  const whole = documentSchema.safeParse(value)
  if (!whole.success) {
    return { rules: [], faults: whole.error.issues.map((issue) => fault(issue.path, said(issue, 'the document', 'rules'))) }
  }
  const faults: RuleFault[] = []
  const rules: Rule[] = []
  const seen = new Set<string>()
  for (const [at, given] of whole.data.rules.entries()) {
    const name = isObject(given) && typeof given.id === 'string' ? `rule "${given.id.slice(0, 64)}"` : `rule ${at + 1}`
    const read = readRule(given, source)
    if ('rule' in read) {
      if (seen.has(read.rule.id)) faults.push(fault(['rules', at], `${name} is there twice`))
      seen.add(read.rule.id)
      rules.push(read.rule)
    } else faults.push(...read.wrong.map(([path, message]) => fault(['rules', at, ...path], `${name}: ${message}`)))
  }
  return faults.length > 0 ? { rules: [], faults } : { rules, faults }
}

type Wrong = readonly [path: readonly PropertyKey[], message: string]

function readRule(given: unknown, source: RuleSource): { readonly rule: Rule } | { readonly wrong: readonly Wrong[] } {
  const parsed = ruleSchema.safeParse(given)
  if (!parsed.success) {
    const fields = Object.keys(ruleSchema.shape).join(', ')
    return { wrong: parsed.error.issues.map((issue) => [issue.path, said(issue, 'it', fields)]) }
  }
  const { effect, resource, risk = effect === 'allow' ? highestRemembered : 'R0' } = parsed.data
  if (effect === 'allow' && risk > highestRemembered) {
    return {
      wrong: [[['risk'], `it allows up to ${risk}; what is ${risk} is asked each time, so allowed is ${highestRemembered} at most`]],
    }
  }
  try {
    checkPattern(resource, 'resource')
  } catch (thrown) {
    return { wrong: [[['resource'], messageOf(thrown).replace(/\.$/, '')]] }
  }
  return { rule: ruleOf({ ...parsed.data, risk }, source) }
}

type Fields = Omit<z.infer<typeof ruleSchema>, 'risk'> & { readonly risk: Risk }

function ruleOf({ id, effect, capability, resource, agent, risk, reason }: Fields, { level, place }: RuleSource): Rule {
  const pattern = parsePattern(resource)
  const words = capability === '*' ? 0 : capability.length
  const specificity = specificityOf(pattern) * 256 + words * 2 + (agent === '*' ? 0 : 1)
  const text = reason ?? `${place}: ${effect} ${capability} on ${resource === '*' ? 'everything' : resource}`
  return { id: `${level}.${id}`, effect, capability, resource: pattern, agent, risk, level, specificity, text }
}

/** Whether the rule speaks about it. What is harmless is nobody's matter. */
export function speaksOf(
  rule: Rule,
  about: { readonly capability: string; readonly target: string; readonly agent: string; readonly risk: Risk },
): boolean {
  if (about.capability === harmless || !coversCapability(rule.capability, about.capability)) return false
  if (rule.agent !== '*' && rule.agent !== about.agent) return false
  if (rule.effect === 'allow' ? about.risk > rule.risk : about.risk < rule.risk) return false
  return matches(rule.resource, about.target)
}

function said(issue: z.core.$ZodIssue, what: string, fields: string): string {
  const field = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return `${what} has the unknown ${issue.keys.map((key) => `"${key}"`).join(', ')}; allowed are ${fields}`
  if (issue.code === 'invalid_value') return `${field} is one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_type') return `${field || what} is missing or of the wrong kind; a ${issue.expected} is needed`
  return `${field || what}: ${issue.message}`
}
