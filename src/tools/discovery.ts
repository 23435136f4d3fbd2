// How an agent finds tools whose schemas it was not given: two tools that are always there, and a block in its system text.
import { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import { isNamed } from './selector.ts'
import { defineTool, done, refused, type Tool } from './tool.ts'

type Find = (name: string) => Tool | undefined
const mostDescribed = 20

/** Text for the system prompt: each deferred tool by name, with what it is good for. '' when there is none. The same for the same. */
export function discoveryBlock(find: Find, deferred: readonly string[]): string {
  const lines = deferred.flatMap((name) => {
    const tool = find(name)
    return tool ? [`- ${name}: ${hintOf(tool)}`] : []
  })
  if (lines.length === 0) return ''
  return [
    'More tools, not described here. Call tool_description with their names to see their arguments, or call one directly:',
    ...lines,
  ].join('\n')
}

export function toolList(find: Find): Tool {
  return defineTool({
    name: 'tool_list',
    description: 'Lists the tools that can be called here, each with what it is good for. Filter by a word or a label.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({
      text: z.string().max(100).optional().describe('Only tools whose name or description contains this'),
      label: z.string().max(64).optional().describe('Only tools with this label, for example read-only'),
    }),
    async run({ text, label }, { allowed }) {
      const word = text?.toLowerCase() ?? ''
      const found = allowed
        .flatMap((name) => find(name) ?? [])
        .filter((tool) => label === undefined || isNamed(tool, [`@${label.replace(/^@/, '')}`]))
        .filter((tool) => `${tool.name} ${tool.description} ${tool.searchHint ?? ''}`.toLowerCase().includes(word))
      if (found.length === 0) return done(`No tool of the ${allowed.length} here fits; without arguments all are listed.`)
      return done(found.map((tool) => `${tool.name}: ${hintOf(tool)} [${tool.labels.join(', ')}]`).join('\n'))
    },
  })
}

export function toolDescription(find: Find): Tool {
  return defineTool({
    name: 'tool_description',
    description: 'Describes tools with all their arguments. From then on they are given to you with their schemas.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({ names: z.array(z.string().max(64)).min(1).max(mostDescribed).describe('Names of tools') }),
    async run({ names }, { allowed }) {
      const known = names.filter((name) => allowed.includes(name)).flatMap((name) => find(name)?.spec ?? [])
      const unknown = names.filter((name) => !known.some((spec) => spec.name === name))
      const missing = `There is no tool ${unknown.map((name) => `"${name}"`).join(', ')} here. Tools are: ${allowed.join(', ')}.`
      if (known.length === 0) return refused('unknown_tool', missing)
      const described = known.map(({ name, description, schema }) => `${name}: ${description}\nArguments: ${JSON.stringify(schema)}`)
      return done([...described, ...(unknown.length > 0 ? [missing] : [])].join('\n\n'))
    },
  })
}

/** Which tools a call makes live: the called one, and those it asked to be described. Pure, so that a replay gives the same. */
export function wokenBy(call: { readonly name: string; readonly input: JsonObject }): readonly string[] {
  const { names } = call.input
  if (call.name !== 'tool_description' || !Array.isArray(names)) return [call.name]
  return names.filter((name) => typeof name === 'string')
}

/** The first sentence, when the tool gives no hint of its own. */
function hintOf({ searchHint, description }: Tool): string {
  return searchHint ?? description.split(/(?<=\.)\s/)[0] ?? description
}
