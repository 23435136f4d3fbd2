// What a tool is, what it gets and what it answers.
import type { z } from 'zod'
import type { JsonObject } from '../base/json.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import { checkArguments, schemaOf } from './arguments.ts'

/** replayable: done again after a crash; idempotent: again under the same key; once: never twice (L5). */
export type Effect = 'replayable' | 'idempotent' | 'once'

export type Tool = Omit<ToolDefinition<never>, 'input' | 'run'> & {
  readonly spec: ToolSpec
  /** Checks the arguments first; nothing runs with wrong ones. */
  run(given: JsonObject, context: ToolContext): Promise<Outcome>
}

export type ToolDefinition<Input> = {
  /** Lower case, digits and _. */
  readonly name: string
  /** For the model: what it does, when to use it, what it does not do. */
  readonly description: string
  readonly labels: readonly string[]
  /** What an agent's pledge must hold; null: harmless, everybody may. */
  readonly capability: string | null
  readonly effect: Effect
  readonly input: z.ZodType<Input>
  /** Only offered where the project has folders. */
  readonly needsRoots?: boolean
  readonly timeoutMs?: number
  /** Characters of answer that the model is given at once; the rest is read with result_read. */
  readonly outputLimit?: number
  /** A throw is a bug or a break; an expected failure, where nothing happened, is `refused`. */
  run(input: Input, context: ToolContext): Promise<Outcome>
}

export type ToolContext = {
  readonly process: ProcessInfo
  /** Absolute folders that may be seen: the project's, narrowed by the agent. */
  readonly roots: readonly string[]
  /** Folders of the hub itself, which no agent sees even where they lie in a root. */
  readonly closed: readonly string[]
  readonly signal: AbortSignal
  /** The idempotency key of this call. */
  readonly key: string
  /** A few words on what is going on, shown live. */
  progress(words: string): void
}

export type Outcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly code: string; readonly text: string }

/** What the model reads and the step records. `ref` and `size` (characters) when there is more than `text`. */
export type ToolResult = {
  readonly ok: boolean
  readonly code?: string
  readonly text: string
  readonly ref?: string
  readonly size?: number
}

/** For the model. `schema` is a JSON schema of type object. */
export type ToolSpec = { readonly name: string; readonly description: string; readonly schema: JsonObject }

export function done(text: string): Outcome {
  return { ok: true, text }
}

/** `text` says what was wrong and what is allowed, to the model as to a person. */
export function refused(code: string, text: string): Outcome {
  return { ok: false, code, text }
}

/** A tool as the registry takes it. Throws for a name that no provider takes and an input that is no object: bugs. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { input, run, ...rest } = definition
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(rest.name)) throw new Error(`A tool can't be named "${rest.name}".`)
  const schema = schemaOf(input)
  return {
    ...rest,
    spec: { name: rest.name, description: rest.description, schema },
    async run(given, context) {
      const checked = checkArguments(input, schema, given)
      return checked.ok ? run(checked.input, context) : refused('invalid', `${rest.name}: ${checked.why}`)
    },
  }
}
