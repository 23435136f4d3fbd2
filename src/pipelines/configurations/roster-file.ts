// The agent file by which a deployed pipeline is an agent of the hub like any other.
import type { Deployment } from './store.ts'

/** Lower case, a letter first, as agents are called. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
  return plain === '' ? 'pipeline' : plain
}

export const agentPath = (name: string): string => `agents/${name}.md`

export type Facts = Pick<Deployment, 'agentId' | 'agentVersion' | 'environment'> & {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Words that lead to it; what its configuration calls skills. */
  readonly triggers: readonly string[]
}

/** Values stand as JSON, which YAML reads as it is. */
export function agentFile({ name, title, description, triggers, agentId, agentVersion, environment }: Facts): string {
  const lines = [
    `name: ${name}`,
    `title: ${JSON.stringify(title.slice(0, 200) || name)}`,
    'engine: pipeline',
    ...(triggers.length === 0 ? [] : [`triggers: ${JSON.stringify(triggers)}`]),
    'params:',
    `  pipeline: ${JSON.stringify(agentId)}`,
    `  version: ${agentVersion}`,
    `  environment: ${environment}`,
  ]
  return `---\n${lines.join('\n')}\n---\n${description.trim() || `A pipeline: its words are configuration, and it needs no model unless it asks for one.`}\n`
}

/** Whether a file was written for that pipeline, so that it may be written again. */
export function isFileOf(text: string, agentId: string): boolean {
  return /^engine: pipeline$/m.test(text) && text.includes(`pipeline: ${JSON.stringify(agentId)}`)
}
