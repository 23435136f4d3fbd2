// Brings the texts of a configuration over: templates of the older syntax, and references in their canonical names.
//
// Y178  Templates of the older syntax are carried over in every field that is rendered; what has no counterpart stays and is named.
import type { JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { withReferences } from '../configurations/graph.ts'
import { migrateTemplateWithFaults } from '../template/template.ts'
import { mapObject } from './walk.ts'

const rendered: ReadonlySet<Kind> = new Set<Kind>(['output', 'property', 'httpcalls', 'mcpcalls', 'toolcalls', 'llm', 'snippet'])
/** Members that are paths or names, whatever stands in them. */
const plain: ReadonlySet<string> = new Set([
  ...['fromObjectPath', 'toObjectPath', 'valuePath', 'pathToTargetArray', 'responseObjectName', 'responseHeaderObjectName'],
  ...['type', 'scope', 'visibility', 'actions', 'action', 'uri', 'iterationObjectName'],
])
/** Of one configuration no more is told. */
const mostNotes = 20

export function carriedOver(kind: Kind, raw: JsonObject): { readonly raw: JsonObject; readonly notes: readonly string[] } {
  const canonical = withReferences(raw, ({ version, ...ref }) => (version === null ? null : { ...ref, version }))
  if (!rendered.has(kind)) return { raw: canonical, notes: [] }
  const notes: string[] = []
  const changed = mapObject(canonical, (text, path) => {
    if (!text.includes('[') || path.some((name) => plain.has(name))) return text
    const { text: now, faults } = migrateTemplateWithFaults(text)
    for (const { message } of faults) if (notes.length < mostNotes) notes.push(`/${path.join('/')}: ${message}`)
    return now
  })
  return { raw: changed, notes }
}
