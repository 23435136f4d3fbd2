// Adding a learned rule to a `routing.yaml` and taking it out again. All else in the document, comments too, stays as it was.
import { isSeq, parseDocument, stringify } from 'yaml'
import { iso } from '../base/clock.ts'
import type { LearnedRule } from './routing.ts'
import { parseRouting } from './rules.ts'

const options = { lineWidth: 0 } as const

/** `text` null: there is no document yet. The document is one without faults. Pure. */
export function withRule(text: string | null, { id, when, to, from, at, by }: LearnedRule): string {
  const rule = { id, when, to, ...(from === null ? {} : { from }), at: iso(at), by }
  const yaml = parseDocument(text ?? '')
  if (yaml.contents === null)
    return `${text === null || text.trim() === '' ? '' : `${text.trimEnd()}\n`}${stringify({ rules: [rule] }, options)}`
  const rules = yaml.get('rules')
  if (isSeq(rules)) {
    rules.add(yaml.createNode(rule))
    rules.flow = false
  } else yaml.set('rules', yaml.createNode([rule]))
  return yaml.toString(options)
}

/** null when it has no such rule. Pure. */
export function withoutRule(text: string, id: string): string | null {
  const at = (parseRouting(text, '').document?.rules ?? []).findIndex((rule) => rule.id === id)
  if (at < 0) return null
  const yaml = parseDocument(text)
  yaml.deleteIn(['rules', at])
  return yaml.toString(options)
}
