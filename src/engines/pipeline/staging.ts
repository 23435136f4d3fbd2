// The scene of one say: templates over what is known, chance from the seed, rooms only when a task asks for them.

import { InvalidInput } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { templateDataOf } from '../../pipelines/data/data.ts'
import { withValueAt } from '../../pipelines/paths/paths.ts'
import { type PropertyScene, scrubbedInput } from '../../pipelines/properties/properties.ts'
import { withSecretReferences } from '../../pipelines/references.ts'
import type { TemplateData } from '../../pipelines/template/template.ts'
import { openGuard } from '../turn/guard.ts'
import { mindOf } from '../turn/mind.ts'
import { type Setup, setupOf } from '../turn/setup.ts'
import type { Working } from './memory.ts'
import { randomFrom, uuidFrom } from './random.ts'
import type { Scene } from './scene.ts'
import type { Stage } from './stage.ts'

export type Staging = { readonly memory: Working; readonly seed: string; readonly number: number }

export async function sceneOf(stage: Stage, { memory, seed, number }: Staging): Promise<Scene> {
  const { rooms, turn, compiled, voice, waiting } = stage
  const known = await knownOf(stage, number)
  const secrets = openKept(stage, memory, number)
  let mind: Scene['mind'] | null = null
  const data = (): TemplateData => templateDataOf(memory, { snippets: compiled.snippets, vars: known.vars, objects: memory.objects })
  let ids = 0
  const uuid = () => uuidFrom(seed, ++ids)
  const render = (text: string) => rooms.templates.get(text).render(data(), { uuid })
  return {
    ...{ turn, memory, voice, data, render, agent: compiled },
    setup: () => stage.setup(),
    get mind() {
      mind ??= stage.mind()
      return mind
    },
    guard: stage.guard,
    objects: memory.objects,
    keep: (name) => void memory.kept.add(name),
    propertyScene: (more = {}): PropertyScene => ({
      ...{ memory, data, render, ...more },
      value: (text) => rooms.templates.get(text).value(data(), { uuid }),
      write: (path, value) => writeAt(memory, path, value),
      secret: secrets.keep,
    }),
    random: (name) => randomFrom(seed, name),
    async resolve(text, host) {
      const given = withSecretReferences(text)
      if (!rooms.secrets || !given.includes('{{secret:')) return given
      return rooms.secrets.resolve(given, { agent: turn.process.agent, ...(host === undefined ? {} : { host }) })
    },
    capabilities: (skill, strategy) => chosen(known.skills, { skill, strategy, chance: randomFrom(seed, `skill/${skill}`) }),
    tags: [],
    tell: (type, told) => rooms.tells.tell({ process: turn.process.id, turn: turn.id, type, data: told }),
    heard: (entries) => void waiting.push(...entries),
    settle: secrets.settle,
  }
}

type Known = {
  readonly vars: { readonly [key: string]: string }
  readonly skills: readonly { readonly agent: string; readonly skills: readonly string[] }[]
}

type Choosing = { readonly skill: string; readonly strategy: string; readonly chance: number }

/** All of them, the best, or one in turn, which here is one by the turn's seed. */
function chosen(skills: Known['skills'], { skill, strategy, chance }: Choosing): readonly string[] {
  const all = skills.filter((one) => one.skills.includes(skill)).map(({ agent }) => agent)
  if (strategy === 'all' || all.length === 0) return all
  const at = strategy === 'round_robin' ? Math.floor(chance * all.length) : 0
  return [...all.slice(at), ...all.slice(0, at)]
}

/** What lies outside of the conversation is recorded where the agent uses it, and not looked at where it doesn't. */
async function knownOf({ rooms, turn, compiled }: Stage, number: number): Promise<Known> {
  const { user, project } = turn.process
  const { vars: varsOf, skills: skillsOf } = rooms
  const vars = compiled.usesVars && varsOf ? await turn.read(`vars-${number}`, async () => ({ ...(await varsOf(user)) })) : {}
  const readSkills = async () => ((await skillsOf?.({ user, project })) ?? []).map(({ agent, skills }) => ({ agent, skills: [...skills] }))
  return { vars, skills: compiled.usesSkills ? await turn.read(`skills-${number}`, readSkills) : [] }
}

/** Values of scope secret: the conversation keeps the reference, the store the value, as soon as the task is over. */
function openKept({ rooms, turn }: Stage, memory: Working, number: number) {
  const pending = new Map<string, string>()
  const known = new Map<string, string>()
  let again = 0
  let settling = Promise.resolve()

  async function settleAll(): Promise<void> {
    for (const [name, value] of pending) {
      pending.delete(name)
      const step = `secret-${number}-${again++ === 0 ? '' : `${again}-`}${name}`
      try {
        await turn.step(step, 'idempotent', async () => {
          await rooms.secrets?.set({ name, value, agents: [turn.process.agent] }, `process:${turn.process.id}`)
          return name
        })
      } catch (thrown) {
        // Nothing refers to what is not there.
        for (const property of [...memory.properties.values()])
          if (property.value === referenceTo(name)) memory.removeProperty(property.name)
        throw thrown
      }
    }
  }

  return {
    keep(name: string, value: string): string {
      if (/^\{\{secret:[^{}]+\}\}$/.test(value)) return value
      if (!rooms.secrets) throw new InvalidInput(`The property "${name}" is a secret, and there is no secret store to keep it in.`)
      const full = secretNameOf(name, turn.process.session)
      // Later workflows set it again for the same action, when the input it came from is scrubbed already.
      const before = known.get(full)
      if (before === undefined || (before !== value && value !== scrubbedInput)) {
        pending.set(full, value)
        known.set(full, value)
      }
      return referenceTo(full)
    },
    /** One after the other; calls that nobody waits for settle theirs beside others. */
    settle(): Promise<void> {
      settling = settling.catch(() => {}).then(settleAll)
      return settling
    },
  }
}

const referenceTo = (name: string) => `{{secret:${name}}}`

/** Two properties of a conversation never share a secret: a name that had to be changed is told apart by its hash. */
function secretNameOf(name: string, session: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_.-]+/g, '-')
  const isChanged = plain !== name.toLowerCase() || plain.length > 31
  const own = `pipeline.${isChanged ? `${plain.slice(0, 22)}-${sha256(name).slice(0, 8)}` : plain}`
  return `${own}.${session.slice(-12).toLowerCase()}`
}

/** Into what templates see: `weather.today` changes the object `weather`. */
function writeAt({ objects }: Working, path: string, value: Json): void {
  const root: JsonObject = withValueAt(path, Object.fromEntries(objects), value)
  for (const [name, one] of Object.entries(root)) objects.set(name, one)
}

/** What tools and models need, read at the first use of a turn and recorded. */
export function openSetup(rooms: Stage['rooms'], turn: Stage['turn'], as?: string): Pick<Stage, 'setup' | 'mind' | 'guard'> {
  let setup: Promise<Setup> | null = null
  let taint: Setup['taint']
  return {
    async setup() {
      setup ??= setupOf(rooms, turn, as)
      taint = (await setup).taint
      return setup
    },
    mind: () => mindOf(turn, rooms.minds, taint ?? 'none'),
    guard: openGuard(),
  }
}
