// The agent file by which a deployed pipeline is an agent of the hub like any other.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Environment, Stored } from './store.ts'

/** Lower case, a letter first, as agents are called. */
export function slugOf(name: string): string {
  const plain = name
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return plain === '' ? 'pipeline' : plain
}

export const agentPath = (name: string): string => `agents/${name}.md`

export type Facts = {
  readonly name: string
  readonly title: string
  readonly id: string
  readonly version: number
  readonly environment: Environment
  /** What its calls of the hub's tools need; [] for none. */
  readonly pledge: readonly string[]
}

const nobody = 'A pipeline: its words are configuration, and it needs no model unless it asks for one.'

/**
 * Values stand as JSON, which YAML reads as it is. A line `class: scout` in the agent's description says its class; what its
 * configuration calls capabilities and skills are its triggers.
 */
export function fileFor({ name, title, id, version, environment, pledge }: Facts, stored: Stored<'agent'> | null): string {
  const described = stored?.descriptor.description || stored?.value.description || ''
  const [line = '', agentClass = 'generalist'] = /^[ \t]*class:[ \t]*([a-z][a-z0-9_-]{0,62})[ \t]*$/im.exec(described) ?? []
  const persona = described.replace(line, '').trim()
  const triggers = skillsIn(stored?.raw ?? {})
  const lines = [
    `name: ${name}`,
    `title: ${JSON.stringify(title.trim().slice(0, 200) || name)}`,
    `class: ${agentClass.toLowerCase()}`,
    'engine: pipeline',
    ...(triggers.length === 0 ? [] : [`triggers: ${JSON.stringify(triggers)}`]),
    ...(pledge.length === 0 ? [] : [`pledge: ${JSON.stringify(pledge)}`]),
    'params:',
    `  pipeline: ${JSON.stringify(id)}`,
    `  version: ${version}`,
    `  environment: ${environment}`,
  ]
  return `---\n${lines.join('\n')}\n---\n${persona || nobody}\n`
}

/** Whether a file was written for that pipeline, so that it may be written again. */
export function isFileOf(text: string, agentId: string): boolean {
  return /^engine: pipeline$/m.test(text) && text.includes(`pipeline: ${JSON.stringify(agentId.toLowerCase())}`)
}

const mostTriggers = 100

/** Words as a person says them: `order-status` is "order status". */
function skillsIn({ capabilities, a2aSkills }: JsonObject): readonly string[] {
  const named = [...listOf(capabilities).map((one) => (isJsonObject(one) ? one['skill'] : one)), ...listOf(a2aSkills)]
  const words = named.flatMap((one) =>
    typeof one === 'string'
      ? [
          one
            .replaceAll(/[-_\s]+/g, ' ')
            .trim()
            .slice(0, 200),
        ]
      : [],
  )
  return [...new Set(words.filter((one) => one !== ''))].slice(0, mostTriggers)
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}
