// Calls of a configuration as tools for the model task: what comes back is framed as content, and lies on the turn's mind.
import { sha256 } from '../../../base/hash.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import { fenced, oneLine } from '../../../tools/fence.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import type { Scene } from '../scene.ts'
import type { Refusal } from './calls-judge.ts'

export type TaskTool = {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  readonly description: string
  /** A JSON schema of type object. */
  readonly schema: JsonObject
  /** Never throws for what the other side does; each run is steps of the turn. Runs of one turn come one after the other. */
  run(args: JsonObject): Promise<ToolResult>
}

const mostText = 50_000
const tails = new WeakMap<Scene, Promise<unknown>>()

/** What tools fill in for templates is there for one call at a time. */
export function inOrder<T>(scene: Scene, work: () => Promise<T>): Promise<T> {
  const before = tails.get(scene) ?? Promise.resolve()
  const next = before.then(work, work)
  tails.set(scene, next)
  return next
}

export type Told = { readonly ok: boolean; readonly code?: string; readonly head: string; readonly text: string; readonly source: string }

/** The word that closes the frame is the turn's own: the same on a replay, and known to nobody whose words stand inside. */
export function framed(scene: Scene, name: string, { ok, code, head, text, source }: Told): ToolResult {
  scene.mind.raise('foreign', [source])
  const word = sha256(`${scene.turn.id} frame ${name}`).slice(0, 32)
  const inside = text.length > mostText ? `${text.slice(0, mostText).toWellFormed()}\n[cut: ${text.length} characters]` : text
  const frame = fenced({ source: oneLine(source), text: inside.replaceAll(word, '') }, word)
  const told = head === '' ? frame : `${head}\n${frame}`
  return { ok, ...(code === undefined ? {} : { code }), text: told, taint: 'foreign', sources: [source] }
}

/** Which secrets go out is the configuration's or the person's to say: a reference that a model writes, led by what it has read, is words. */
export function asWords({ mind }: Pick<Scene, 'mind'>, value: Json): Json {
  if (mind.taint !== 'foreign') return value
  const text = JSON.stringify(value)
  return /secret:|vault:/i.test(text) ? JSON.parse(text.replace(/[{]+(?=secret:)|\$[{](?=(?:eddi)?vault:)/gi, '')) : value
}

export function refusedTool({ code, text }: Refusal): ToolResult {
  return { ok: false, code, text }
}

/** Each once, as providers take them: letters, digits, `_` and `-`. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((given) => {
    const plain = given.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60) || 'call'
    let name = plain
    for (let at = 2; taken.has(name); at++) name = `${plain}_${at}`
    taken.add(name)
    return name
  })
}
