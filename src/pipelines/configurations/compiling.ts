// An agent version with everything that it names, read, checked and made ready to run.
//
// Y70  What can't run is named with its place before anything is deployed: missing or cyclic references, unknown tasks, unusable rules,
//      slow patterns, providers and stores that are not supported.
import { InvalidInput, messageOf } from '../../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Configurations, Dictionary, Kind, ResourceRef, WorkflowStep } from '../configuration.ts'
import { compileParser } from '../parser/parser.ts'
import { secretNamesIn } from '../references.ts'
import { compileRules } from '../rules/rules.ts'
import { bindingFaults } from './binding.ts'
import { checksOf } from './checks.ts'
import type { Sized } from './compiled-cache.ts'
import { childrenFirst, keyOf, referencesIn, withoutAddresses } from './graph.ts'
import { readConfiguration } from './read.ts'
import type { CompiledAgent, CompiledStep, ConfigurationStore, DeployFault, NamedTools, Place, Stored } from './store.ts'
import { refIn, taskOf, uriOf, wholeRefIn } from './uri.ts'

export type CompilingRooms = {
  readonly configurations: Pick<ConfigurationStore, 'read' | 'descriptors'>
  /** Whether there is a secret of that name; absent: nobody looks. */
  readonly hasSecret?: (name: string) => Promise<boolean>
}

type Making = {
  readonly rooms: CompilingRooms
  readonly place: Place
  readonly all: ReadonlyMap<string, Stored>
  readonly faults: DeployFault[]
}

/** More than this many configurations are no agent. */
const mostParts = 2_000

/** null: there is no such agent. */
export async function compileAgent(rooms: CompilingRooms, ref: Pick<ResourceRef, 'id' | 'version'>, place: Place): Promise<Sized | null> {
  const top = await rooms.configurations.read({ kind: 'agent', id: ref.id, version: ref.version }, place)
  if (top === null) return null
  const faults: DeployFault[] = []
  const all = await everything(rooms, top, { place, faults })
  const making: Making = { rooms, place, all, faults }
  const words = [...all.values()].map(({ raw }) => JSON.stringify(raw)).join('\n')
  checkEach(making)
  checkIdle(making, top)
  checkRings(making, top)
  await checkSecrets(making)
  const steps = top.value.workflows.flatMap((uri, at) => workflowSteps(making, uri, `workflow ${at + 1}`))
  for (const message of bindingFaults(steps)) faults.push(faultAt(top, message, 'warning'))
  const agent: CompiledAgent = {
    ref: top.ref,
    name: top.descriptor.name || top.ref.id,
    ...{ config: top.value, steps, snippets: await snippetsOf(making), faults },
    usesVars: /\{vars[.[]|\$\{vars:/.test(words),
    usesSkills: words.includes('capabilityMatch'),
  }
  return { agent, size: words.length }
}

/** Everything that is named, directly or not; what is missing is a fault where it is named. */
async function everything(rooms: CompilingRooms, top: Stored, { place, faults }: Pick<Making, 'place' | 'faults'>): Promise<Making['all']> {
  const all = new Map<string, Stored>([[versionKey(top.ref), top]])
  const waiting: Stored[] = [top]
  for (let one = waiting.shift(); one; one = waiting.shift()) {
    for (const found of referencesIn(withoutAddresses(one.ref.kind, one.raw))) {
      if (found.version === null) {
        faults.push(faultAt(one, `${JSON.stringify(`${keyOf(found)}`)} is named without a version`))
        continue
      }
      const ref = { ...found, version: found.version }
      if (all.has(versionKey(ref)) || all.size >= mostParts) continue
      const child = await readPart(rooms, ref, place).catch((thrown: unknown) => messageOf(thrown))
      if (child === null) faults.push(faultAt(one, `${uriOf(ref)} does not exist`))
      else if (typeof child === 'string') faults.push(faultAt(one, `${uriOf(ref)} can't be read: ${child}`))
      else {
        all.set(versionKey(ref), child)
        waiting.push(child)
      }
    }
  }
  return all
}

function readPart({ configurations }: CompilingRooms, ref: ResourceRef, place: Place): Promise<Stored | null> {
  return configurations.read(ref, place)
}

function versionKey(ref: ResourceRef): string {
  return `${keyOf(ref)} ${ref.version}`
}

function faultAt(one: Named, message: string, severity: DeployFault['severity'] = 'error'): DeployFault {
  return { where: nameOf(one), severity, message }
}

type Named = Pick<Stored, 'ref' | 'descriptor'>

function nameOf({ ref, descriptor }: Named): string {
  return `${ref.kind} ${descriptor.name === '' ? ref.id : JSON.stringify(descriptor.name)}`
}

function checkEach({ all, faults }: Making): void {
  for (const one of all.values()) {
    for (const { severity, message } of checksOf(one.ref.kind, one.value, one.raw)) faults.push(faultAt(one, message, severity))
  }
}

/** Members that are kept and given back, and have a meaning only where they come from; these have one here too. */
const notIdle: readonly string[] = ['capabilities', 'a2aSkills']
const mostIdle = 20

/** One warning for all of them, so that it hides no other. */
function checkIdle({ all, faults }: Making, top: Stored<'agent'>): void {
  const kept = Object.entries(top.value.kept).flatMap(([name, value]) => (notIdle.includes(name) || isVoid(value) ? [] : [`/${name}`]))
  const idle = [...all.values()].flatMap((one) => {
    const names = [...(one === top ? kept : []), ...one.unknown]
    return names.map((name) => `${nameOf(one)} ${name}`)
  })
  if (idle.length === 0) return
  const more = idle.length > mostIdle ? `, and ${idle.length - mostIdle} more` : ''
  faults.push(faultAt(top, `these have no effect here: ${idle.slice(0, mostIdle).join(', ')}${more}`, 'warning'))
}

/** As files say that a thing is not used. */
function isVoid(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isJsonObject(value)) return Object.values(value).every(isVoid)
  return value === undefined || value === null || value === false || value === '' || typeof value === 'number'
}

function checkRings({ all, faults }: Making, top: Stored): void {
  childrenFirst<Stored>(top, {
    keyOf: ({ ref }) => versionKey(ref),
    childrenOf: ({ raw }) => referencesIn(raw).flatMap((ref) => all.get(`${keyOf(ref)} ${ref.version}`) ?? []),
    ring: (keys) => void faults.push(faultAt(top, `references go in a circle: ${keys.join(' -> ')}`)),
  })
}

async function checkSecrets({ rooms, all, faults }: Making): Promise<void> {
  const { hasSecret } = rooms
  if (!hasSecret) return
  for (const one of all.values()) {
    for (const name of secretNamesIn(JSON.stringify(one.raw))) {
      if (!(await hasSecret(name))) faults.push(faultAt(one, `the secret "${name}" is not there: steward secrets set ${name}`, 'warning'))
    }
  }
}

function workflowSteps(making: Making, uri: string, at: string): readonly CompiledStep[] {
  const stored = partAt(making, 'workflow', uri, at)
  return stored === null ? [] : stored.workflowSteps.flatMap((step, index) => compiledStep(making, step, `${at}/step ${index + 1}`))
}

/** null: it is missing, which was said where it is named, or it is of another kind. */
function partAt<K extends Kind>({ all, faults }: Making, kind: K, uri: string, where: string): Configurations[K] | null {
  const found = refIn(uri)
  if (found === null || found.kind !== kind) {
    faults.push({ where, severity: 'error', message: `${JSON.stringify(uri.slice(0, 200))} names no ${kind}` })
    return null
  }
  const stored = all.get(`${keyOf(found)} ${found.version}`)
  return stored && isOfKind(stored, kind) ? stored.value : null
}

function isOfKind<K extends Kind>(stored: Stored, kind: K): stored is Stored<K> {
  return stored.ref.kind === kind
}

const withExtension: Readonly<Record<string, Kind>> = {
  'ai.labs.rules': 'rules',
  'ai.labs.httpcalls': 'httpcalls',
  'ai.labs.mcpcalls': 'mcpcalls',
  'steward.toolcalls': 'toolcalls',
  'ai.labs.llm': 'llm',
  'ai.labs.rag': 'rag',
}
const knownTasks: readonly string[] = [
  'ai.labs.parser',
  'ai.labs.property',
  'ai.labs.output',
  'ai.labs.templating',
  'steward.commands',
  ...Object.keys(withExtension),
]

function compiledStep(making: Making, step: WorkflowStep, at: string): readonly CompiledStep[] {
  const task = taskOf(step.type)
  const base = { at, config: step.config }
  const { uri } = step.config
  const named = typeof uri === 'string' && uri.trim() !== '' ? uri : null
  const fault = (message: string): readonly CompiledStep[] => {
    making.faults.push({ where: at, severity: 'error', message })
    return []
  }
  if (!knownTasks.includes(task)) return fault(`the task ${JSON.stringify(step.type)} is not known; there is ${knownTasks.join(', ')}`)
  if (Object.hasOwn(withExtension, task) && named === null) return fault(`the task ${task} needs config.uri, which names its configuration`)
  try {
    return stepOf(making, { base, step, task, named })
  } catch (thrown) {
    // Unusable rules and parsers say themselves what is wrong; a fault that a check has told already is not told twice.
    const message = messageOf(thrown)
    return making.faults.some((one) => one.severity === 'error' && message.includes(one.message)) ? [] : fault(message)
  }
}

type StepGiven = {
  readonly base: { readonly at: string; readonly config: JsonObject }
  readonly step: WorkflowStep
  readonly task: string
  readonly named: string | null
}

function stepOf(making: Making, { base, step, task, named }: StepGiven): readonly CompiledStep[] {
  const part = <K extends Kind>(kind: K): Configurations[K] | null => (named === null ? null : partAt(making, kind, named, base.at))
  switch (task) {
    case 'ai.labs.parser': {
      const config =
        named === null ? readConfiguration('parser', { extensions: step.extensions, config: step.config }, 'lenient').value : part('parser')
      return config === null ? [] : [{ ...base, taskId: task, parser: compileParser(config, (uri) => dictionaryAt(making, uri)) }]
    }
    case 'ai.labs.rules': {
      const set = part('rules')
      return set === null ? [] : [{ ...base, taskId: task, rules: compileRules(set), ...overrides(step.config) }]
    }
    case 'ai.labs.property': {
      const inline = Object.hasOwn(step.config, 'setOnActions')
        ? readConfiguration('property', { setOnActions: step.config['setOnActions'] ?? [] }, 'lenient').value
        : null
      return [{ ...base, taskId: task, setter: named === null ? inline : part('property') }]
    }
    case 'ai.labs.output': {
      const inline = Object.hasOwn(step.config, 'outputSet')
        ? readConfiguration('output', { outputSet: step.config['outputSet'] ?? [] }, 'lenient').value
        : null
      return [{ ...base, taskId: task, output: named === null ? inline : part('output') }]
    }
    case 'ai.labs.templating':
    case 'steward.commands':
      return [{ ...base, taskId: task }]
    default:
      return extensionStep(making, part, { base, task, named })
  }
}

type Part = <K extends Kind>(kind: K) => Configurations[K] | null

/** What a model task names beside the calls of its workflows. */
function namedTools(making: Making, { tasks }: Configurations['llm'], at: string): NamedTools {
  const found = tasks
    .flatMap(({ tools }) => tools)
    .flatMap((uri): readonly (readonly [string, ToolSource])[] => {
      if (refIn(uri)?.kind === 'mcpcalls') {
        const calls = partAt(making, 'mcpcalls', uri, at)
        return calls === null ? [] : [[uri, { kind: 'mcpcalls', calls }]]
      }
      const calls = partAt(making, 'httpcalls', uri, at)
      return calls === null ? [] : [[uri, { kind: 'httpcalls', calls }]]
    })
  return new Map(found)
}

type ToolSource = NamedTools extends ReadonlyMap<string, infer Source> ? Source : never

function extensionStep(making: Making, part: Part, { base, task, named }: Omit<StepGiven, 'step'>): readonly CompiledStep[] {
  if (task === 'ai.labs.httpcalls' || task === 'ai.labs.mcpcalls' || task === 'steward.toolcalls') return callStep(part, base, task)
  if (task === 'ai.labs.llm') {
    const llm = part('llm')
    return llm === null ? [] : [{ ...base, taskId: task, llm, tools: namedTools(making, llm, base.at) }]
  }
  const rag = part('rag')
  return rag === null || task !== 'ai.labs.rag' ? [] : [{ ...base, taskId: task, rag, id: refIn(named ?? '')?.id ?? '' }]
}

function callStep(
  part: Part,
  base: StepGiven['base'],
  task: 'ai.labs.httpcalls' | 'ai.labs.mcpcalls' | 'steward.toolcalls',
): readonly CompiledStep[] {
  if (task === 'ai.labs.httpcalls') {
    const calls = part('httpcalls')
    return calls === null ? [] : [{ ...base, taskId: task, calls }]
  }
  if (task === 'ai.labs.mcpcalls') {
    const calls = part('mcpcalls')
    return calls === null ? [] : [{ ...base, taskId: task, calls }]
  }
  const calls = part('toolcalls')
  return calls === null ? [] : [{ ...base, taskId: task, calls }]
}

function dictionaryAt({ all }: Making, uri: string): Dictionary | null {
  const ref = wholeRefIn(uri, 'uri')
  const stored = all.get(versionKey(ref))
  return stored && isOfKind(stored, 'dictionary') ? stored.value : null
}

/** The step's own word counts more than the set's. */
function overrides(config: JsonObject): { readonly appendActions?: boolean; readonly expressionsAsActions?: boolean } {
  const read = (name: string) => (Object.hasOwn(config, name) ? String(config[name]) === 'true' : undefined)
  const [appendActions, expressionsAsActions] = [read('appendActions'), read('expressionsAsActions')]
  return {
    ...(appendActions === undefined ? {} : { appendActions }),
    ...(expressionsAsActions === undefined ? {} : { expressionsAsActions }),
  }
}

/** All that the person has; one that can't be read stops no agent. */
async function snippetsOf({ rooms, place, faults }: Making): Promise<CompiledAgent['snippets']> {
  const { configurations } = rooms
  const snippets = new Map<string, Configurations['snippet']>()
  for (const { resource } of await configurations.descriptors('snippet', place, { limit: 0 })) {
    const ref = refIn(resource)
    const stored = ref && (await configurations.read({ kind: 'snippet', id: ref.id }, place).catch((thrown: unknown) => messageOf(thrown)))
    if (typeof stored === 'string')
      faults.push({ where: `snippet ${ref?.id}`, severity: 'warning', message: `it can't be read: ${stored}` })
    else if (stored) snippets.set(stored.value.name, stored.value)
  }
  return snippets
}

/** The sentences of all errors, for who wanted to deploy. Throws InvalidInput when there are any. */
export function refuseFaulty({ name, faults }: Pick<CompiledAgent, 'name' | 'faults'>): void {
  const all = faults.filter(({ severity }) => severity === 'error')
  if (all.length === 0) return
  const lines = all.slice(0, 20).map(({ where, message }) => `- ${where}: ${message}`)
  const more = all.length > 20 ? [`- and ${all.length - 20} more`] : []
  throw new InvalidInput([`The agent ${JSON.stringify(name)} can't run:`, ...lines, ...more].join('\n'), { path: 'agent' })
}
