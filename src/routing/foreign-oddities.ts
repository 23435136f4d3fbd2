// What is odd in a foreign table and stops nobody: said once, when it is read.
import type { ForeignForm, ForeignMember } from './foreign-form.ts'

const mostTold = 200

/** A sentence each, in the order of the table. */
export function oddities(form: ForeignForm): readonly string[] {
  const known = new Set(Object.keys(form.eidolons))
  const told = [
    ...Object.entries(form.eidolons).flatMap(([key, member]) => [...ofMember(key, member, known), ...ofPhrases(key, member)]),
    ...circles(form),
    ...(form.signals ?? []).flatMap(({ id, boost }) =>
      Object.keys(boost)
        .filter((key) => !known.has(key))
        .map((key) => `signals.${id}.boost: nobody is called "${key}", so this boost has no effect.`),
    ),
  ]
  return told.length <= mostTold ? told : [...told.slice(0, mostTold), `And ${told.length - mostTold} more.`]
}

function ofMember(key: string, member: ForeignMember, known: ReadonlySet<string>): readonly string[] {
  const place = `eidolons.${key}`
  const nobody = (field: string, name: string): string => `${place}.${field}: nobody is called "${name}", so it has no effect.`
  const { downstream, fallback, escalation, default_for_class: seat, capability_class: own } = member
  const to = escalation?.reroute_to
  return [
    ...(downstream ?? []).filter((name) => !known.has(name)).map((name) => nobody('downstream', name)),
    ...(fallback && !known.has(fallback) ? [nobody('fallback', fallback)] : []),
    ...(to && !known.has(to) ? [nobody('escalation.reroute_to', to)] : []),
    ...(seat && seat !== own ? [`${place}.default_for_class is "${seat}", but its class is "${own}", so it has no effect.`] : []),
  ]
}

function ofPhrases(key: string, { trigger_verbs: triggers, refuse_verbs: refuses }: ForeignMember): readonly string[] {
  const refused = new Set(refuses ?? [])
  const capitals = [...triggers, ...(refuses ?? [])].filter((phrase) => /[A-Z]/.test(phrase))
  return [...new Set(triggers.filter((phrase) => refused.has(phrase)))]
    .map((phrase) => `eidolons.${key} refuses its own trigger "${phrase}".`)
    .concat(twice(triggers).map((phrase) => `eidolons.${key}.trigger_verbs has "${phrase}" twice; in strict mode it counts twice.`))
    .concat(capitals.map((phrase) => `eidolons.${key}: "${phrase}" has a capital letter and never matches in strict mode.`))
}

function twice(phrases: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const again = phrases.filter((phrase) => seen.has(phrase) || !seen.add(phrase))
  return [...new Set(again)]
}

const mostCircles = 20

type Step = { readonly name: string; readonly next: readonly string[]; at: number }

/** Hand-offs that lead back to who starts them. Walks with a list of its own, so that a long line of members is no deep call. */
function circles(form: ForeignForm): readonly string[] {
  const found: string[] = []
  const done = new Set<string>()
  const path: Step[] = []
  const open = new Set<string>()
  const enter = (name: string): void => {
    if (open.has(name)) found.push(circle(path, name))
    else if (!done.has(name)) {
      open.add(name)
      path.push({ name, next: form.eidolons[name]?.downstream ?? [], at: 0 })
    }
  }
  for (const start of Object.keys(form.eidolons)) {
    enter(start)
    for (let last = path.at(-1); last !== undefined && found.length < mostCircles; last = path.at(-1)) {
      const next = last.next[last.at++]
      if (next !== undefined) enter(next)
      else {
        done.add(last.name)
        open.delete(last.name)
        path.pop()
      }
    }
    if (found.length >= mostCircles) break
  }
  return found
}

function circle(path: readonly Step[], name: string): string {
  const from = path.findIndex((step) => step.name === name)
  return `Hand-offs go in a circle: ${[...path.slice(from).map((step) => step.name), name].join(' > ')}.`
}
