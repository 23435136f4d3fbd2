// Adding a learned rule to a `routing.yaml` and taking it out again. All else in the document, comments too, stays as it was.
import { type Document, isSeq, stringify } from 'yaml'
import { iso } from '../base/clock.ts'
import { InvalidInput } from '../base/errors.ts'
import { editYaml } from '../base/yaml.ts'
import type { LearnedRule } from './routing.ts'
import { mostCharacters, parseRouting, routingFile } from './rules.ts'

const options = { lineWidth: 0 } as const

/** `text` null: there is no document yet. Throws InvalidInput for one that can't be read. Pure. */
export function withRule(text: string | null, { id, when, to, from, at, by }: LearnedRule): string {
  const rule = { id, when, to, ...(from === null ? {} : { from }), at: iso(at), by }
  const yaml = documentOf(text ?? '')
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
  const yaml = documentOf(text)
  yaml.deleteIn(['rules', at])
  return yaml.toString(options)
}

function documentOf(text: string): Document {
  const read = editYaml(text, { mostCharacters })
  if (!('message' in read)) return read
  throw new InvalidInput(`The ${routingFile} can't be changed while it can't be read: line ${read.line}: ${read.message}.`)
}
