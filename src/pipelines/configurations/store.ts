// What keeps the configurations of pipelines, and says which are deployed. Implemented by configurations.ts over documents: a
// configuration is `pipelines/<kind>/<id>.json`, its versions are the document's, and it lies at the home of the person who made it
// (bundled ones come with the program). Descriptors and deployments are documents beside it. Source: EDDI's digest, 1.1, 3.11 and 4.
import type { JsonObject } from '../../base/json.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { Configurations, Descriptor, Kind, ResourceRef } from '../configuration.ts'

/** Whose configurations: reads go through the cascade of that person (and project), writes to their home. */
export type Place = { readonly user: string; readonly project?: string }
export type Writer = Place & { readonly by: Actor }

export type Stored<K extends Kind = Kind> = {
  readonly ref: ResourceRef & { readonly kind: K }
  readonly value: Configurations[K]
  /** As it was given, in the names it was given in: what a client reads again. */
  readonly raw: JsonObject
  readonly descriptor: Descriptor
  /** The newest version that there is. */
  readonly newest: number
  readonly isBundled: boolean
  /** Members that mean nothing here, as paths. */
  readonly unknown: readonly string[]
}

export type NewConfiguration = {
  readonly kind: Kind
  readonly value: unknown
  /** Absent: a new one, 24 hexadecimal digits. */
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly originId?: string
}

export type Usage = { readonly ref: ResourceRef; readonly name: string }

export interface ConfigurationStore {
  /** Strict: unknown keys and what can't run are InvalidInput, naming the place. All in one commit: all or none. */
  create(given: readonly NewConfiguration[], writer: Writer): Promise<readonly ResourceRef[]>
  /** `version` absent: the newest. null: there is none, or it was deleted (`deleted: true` finds those too). */
  read<K extends Kind>(
    ref: { readonly kind: K; readonly id: string; readonly version?: number },
    place: Place,
    options?: { readonly deleted?: boolean },
  ): Promise<Stored<K> | null>
  /** Makes version + 1. Conflict, naming both, when `version` is not the newest. */
  update(ref: ResourceRef, value: unknown, writer: Writer): Promise<ResourceRef>
  /**
   * New ones and new versions in one commit, strictly checked like each of them. Their references are as given: who writes them knows that
   * a new one is version 1, and a changed one the version after its `ref`. Conflict when one of these is not the newest any more.
   */
  put(
    given: {
      readonly news: readonly (NewConfiguration & { readonly id: string })[]
      readonly changes: readonly {
        readonly ref: ResourceRef
        readonly value: unknown
        readonly describe?: Partial<Pick<Descriptor, 'name' | 'description' | 'originId'>>
      }[]
    },
    writer: Writer,
  ): Promise<void>
  /** Swaps every reference to that resource for the new URI, in an agent or workflow. */
  updateReference(ref: ResourceRef, uri: string, writer: Writer): Promise<ResourceRef>
  /**
   * Saves changed children, carries their new versions up to the workflows and the agent, and deploys that where it was deployed
   * before: one commit. The agent's new reference.
   */
  apply(
    agent: ResourceRef,
    changes: readonly { readonly ref: ResourceRef; readonly value: unknown }[],
    writer: Writer,
  ): Promise<{ readonly agent: ResourceRef; readonly changed: readonly ResourceRef[] }>
  /** Soft: versions stay. `permanent`: gone. `cascade`: children that nothing else uses go with it. Bundled ones are a Conflict. */
  remove(ref: ResourceRef, options: { readonly permanent?: boolean; readonly cascade?: boolean }, writer: Writer): Promise<void>
  /** `deep`: its children too, with references to the new ones. */
  duplicate(ref: ResourceRef, options: { readonly deep?: boolean }, writer: Writer): Promise<ResourceRef>
  /** Agents and workflows whose newest version names that resource; `anyVersion` false: only exactly that version. */
  usages(ref: Omit<ResourceRef, 'version'> & { readonly version?: number }, place: Place): Promise<readonly Usage[]>
  descriptors(
    kind: Kind,
    place: Place,
    page?: { readonly filter?: string; readonly index?: number; readonly limit?: number; readonly deleted?: boolean },
  ): Promise<readonly Descriptor[]>
  describe(ref: Omit<ResourceRef, 'version'>, change: Partial<Descriptor>, writer: Writer): Promise<Descriptor>
}

// ---- deployments

export const environments = ['production', 'test'] as const
export type Environment = (typeof environments)[number]
export type DeploymentStatus = 'READY' | 'IN_PROGRESS' | 'NOT_FOUND' | 'ERROR'

export type Deployment = {
  readonly environment: Environment
  readonly agentId: string
  readonly agentVersion: number
  readonly status: DeploymentStatus
  readonly descriptor: Descriptor
  /** The name that it is mentioned by in Steward; null in `test`. */
  readonly agentName: string | null
}

/** What can't run, with where it stands: `agent/workflow 1/step 3 (rules)`, and a sentence. */
export type DeployFault = { readonly where: string; readonly severity: 'error' | 'warning'; readonly message: string }

/** An agent version with all that it refers to, read and checked: what an engine runs. Immutable; kept in a bounded cache. */
export type CompiledAgent = {
  readonly ref: ResourceRef & { readonly kind: 'agent' }
  readonly name: string
  readonly config: Configurations['agent']
  /** Of all workflows, in order. */
  readonly steps: readonly CompiledStep[]
  readonly snippets: ReadonlyMap<string, Configurations['snippet']>
  readonly faults: readonly DeployFault[]
  /** It names global variables ({vars.x}, ${vars:x}); it asks for agents by skill (capabilityMatch). */
  readonly usesVars: boolean
  readonly usesSkills: boolean
}

/** `at`: as in `workflow 1/step 3`; `taskId` canonical, as in `ai.labs.rules`. What a step without a configuration runs on is null. */
export type CompiledStep = { readonly at: string; readonly config: JsonObject } & (
  | { readonly taskId: 'ai.labs.parser'; readonly parser: import('../parser/parser.ts').Parser }
  | {
      readonly taskId: 'ai.labs.rules'
      readonly rules: import('../rules/rules.ts').CompiledRules
      readonly appendActions?: boolean
      readonly expressionsAsActions?: boolean
    }
  | { readonly taskId: 'ai.labs.property'; readonly setter: Configurations['property'] | null }
  | { readonly taskId: 'ai.labs.httpcalls'; readonly calls: Configurations['httpcalls'] }
  | { readonly taskId: 'ai.labs.mcpcalls'; readonly calls: Configurations['mcpcalls'] }
  | { readonly taskId: 'steward.toolcalls'; readonly calls: Configurations['toolcalls'] }
  | { readonly taskId: 'ai.labs.llm'; readonly llm: Configurations['llm']; readonly tools?: NamedTools }
  | { readonly taskId: 'ai.labs.rag'; readonly rag: Configurations['rag']; readonly id: string }
  | { readonly taskId: 'ai.labs.output'; readonly output: Configurations['output'] | null }
  | { readonly taskId: 'ai.labs.templating' | 'steward.commands' }
)

/** The calls that model tasks name in `tools`, by their URIs as they stand there. */
export type NamedTools = ReadonlyMap<
  string,
  | { readonly kind: 'httpcalls'; readonly calls: Configurations['httpcalls'] }
  | { readonly kind: 'mcpcalls'; readonly calls: Configurations['mcpcalls'] }
>

export interface Deployments {
  /** Reads and checks all of it. Throws NotFound; with an error among the faults `steps` holds what could be read. Never deploys. */
  check(agent: ResourceRef, place: Place): Promise<CompiledAgent>
  /** From the cache, or read again. Throws NotFound, and InvalidInput naming all faults when it can't run. */
  compiled(agent: { readonly id: string; readonly version: number }, place: Place): Promise<CompiledAgent>
  /** InvalidInput with all faults in its message when it can't run; then nothing is changed. In `production` it joins the roster. */
  deploy(agent: ResourceRef, environment: Environment, writer: Writer): Promise<Deployment>
  /** False: it was not deployed. `allVersions`: also the older ones. */
  undeploy(
    agent: { readonly id: string; readonly version?: number },
    environment: Environment,
    options: { readonly allVersions?: boolean },
    writer: Writer,
  ): Promise<boolean>
  /** The version that new conversations get; null: none. */
  current(agentId: string, environment: Environment, place: Place): Promise<Deployment | null>
  list(environment: Environment, place: Place): Promise<readonly Deployment[]>
}
