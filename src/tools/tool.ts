// What a tool is, what it gets and what it answers.
import type { z } from 'zod'
import type { TurnId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import { harmless } from '../policy/capability.ts'
import type { Plan, Risk, Taint } from '../policy/decision.ts'
import { checkArguments, schemaOf } from './arguments.ts'

/** replayable: done again after a crash; idempotent: again under the same key; once: never twice (L5). */
export type Effect = 'replayable' | 'idempotent' | 'once'

export type Tool = Omit<ToolDefinition<never>, 'input' | 'run' | 'plan' | 'writes'> & {
  readonly spec: ToolSpec
  /** What is wrong with the arguments, in a sentence; null: nothing. */
  faultIn(given: JsonObject): string | null
  /** Null for arguments that don't fit: the call will be refused anyway. */
  plan(given: JsonObject, context: ToolContext): Promise<Plan | null>
  /** null: what its plan says. */
  readonly writes: ((given: JsonObject, context: ToolContext) => Promise<Writes>) | null
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
  /** So many of them are of its end: for output whose last lines say most. */
  readonly outputTail?: number
  /** Of a call whose plan says nothing else. Default R0: it only looks. */
  readonly risk?: Risk
  /** Something leaves the machine with every call. */
  readonly outward?: boolean
  /** What its answers bring with them. Default none: the hub's own words. */
  readonly taint?: Taint
  /** Client profiles it is for; absent: any. */
  readonly profiles?: readonly string[]
  /** Roles that the asking engine must have; absent: none. */
  readonly roles?: readonly string[]
  /** Named in the discovery block only, until it is asked for; `searchHint` says what it is good for. */
  readonly deferred?: boolean
  readonly searchHint?: string
  /** Whether it can do anything at present; asked at the start of each turn, and at hand. Absent: always. */
  readonly offered?: () => boolean
  /** At most so many calls a session and minute; default 120. */
  readonly perMinute?: number
  /** The same call of a session within this time gets the same answer. Only for replayable tools. */
  readonly cacheMs?: number
  /**
   * What this call would do, for policy and for the person who is asked. Looks, changes nothing, and is quick. Absent: its
   * capability, its risk, and the arguments as the target.
   */
  plan?(input: Input, context: ToolContext): Promise<Omit<Plan, 'tool' | 'capability'> & { readonly capability?: string }>
  /**
   * What this call could change, before it does; `taint`: what it may bring into it. Looks only. Absent: the targets of its plan that
   * are files or documents.
   */
  writes?(input: Input, context: ToolContext): Promise<Writes>
  /** A throw is a bug or a break; an expected failure, where nothing happened, is `refused`. */
  run(input: Input, context: ToolContext): Promise<Outcome>
}

export type ToolContext = {
  readonly process: ProcessInfo
  /** Absolute folders that may be seen: the project's, narrowed by the agent. */
  readonly roots: readonly string[]
  /** Folders of the hub itself, which no agent sees even where they lie in a root. */
  readonly closed: readonly string[]
  /** Every tool that the agent may call here, by name. */
  readonly allowed: readonly string[]
  readonly signal: AbortSignal
  /** The idempotency key of this call. */
  readonly key: string
  /** Of the plan that was let through (Plan.binding): a tool refuses when what it acts on is not that any more. */
  readonly binding?: string
  /** What the asking turn has on its mind. */
  readonly taint: Taint
  readonly agent: { readonly name: string; readonly pledge: readonly string[] }
  readonly turn: TurnId
  /** The root of the chain of causes: all that comes of one request. */
  readonly run: string
  /** References to secrets become values, at the moment of use. Throws Denied. */
  resolve(text: string, host?: string): Promise<string>
  /** A few words on what is going on, shown live. */
  progress(words: string): void
}

/** Real paths, and keys of documents; a folder stands for all that lies in it. */
export type Writes = { readonly paths: readonly string[]; readonly taint?: Taint }

/** `allowed`: the names that may be called, as `surface()` gave them when the turn began. */
export type Call = { readonly name: string; readonly input: JsonObject; readonly allowed: readonly string[] }

/** What the pipeline fills in itself is left to it. */
export type CallContext = Omit<ToolContext, 'closed' | 'allowed' | 'binding'>

/**
 * `taint`, `sources`: what this answer brings, when it is more than the tool always does. `read`: real paths whose content it shows,
 * so that their taint comes along; a folder stands for all that lies in it. `wrote`: real paths that it changed.
 */
export type Outcome = (
  | { readonly ok: true; readonly text: string }
  /** `retryAfterMs`: what the other side asked for. */
  | { readonly ok: false; readonly code: string; readonly text: string; readonly retryAfterMs?: number }
) & {
  readonly taint?: Taint
  readonly sources?: readonly string[]
  readonly read?: readonly string[]
  readonly wrote?: readonly string[]
}

/** What the model reads and the step records. `ref` and `size` (characters) when there is more than `text`. */
export type ToolResult = {
  readonly ok: boolean
  readonly code?: string
  readonly text: string
  readonly ref?: string
  readonly size?: number
  readonly taint?: Taint
  readonly sources?: readonly string[]
  readonly wrote?: readonly string[]
}

/** For the model. `schema` is a JSON schema of type object. */
export type ToolSpec = { readonly name: string; readonly description: string; readonly schema: JsonObject }

/** `more`: what the answer brings beside its text. */
export function done(text: string, more: Omit<Outcome, 'ok' | 'code' | 'text'> = {}): Outcome {
  return { ok: true, text, ...more }
}

/** `text` says what was wrong and what is allowed, to the model as to a person. */
export function refused(code: string, text: string): Outcome {
  return { ok: false, code, text }
}

/** A tool as the registry takes it. Throws for a name that no provider takes; its spec, for an input that is no object: bugs. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { input, run, plan, writes, ...rest } = definition
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(rest.name)) throw new Error(`A tool can't be named "${rest.name}".`)
  // Made when first looked at: a start of the hub would make dozens that nobody asks for yet.
  let made: ToolSpec | null = null
  const spec = () => {
    made ??= { name: rest.name, description: rest.description, schema: schemaOf(input) }
    return made
  }
  const check = (given: JsonObject) => checkArguments(input, spec().schema, given)
  return {
    ...rest,
    get spec() {
      return spec()
    },
    faultIn(given) {
      const checked = check(given)
      return checked.ok ? null : `${rest.name}: ${checked.why}`
    },
    async plan(given, context) {
      const checked = check(given)
      if (!checked.ok) return null
      const usual: Plan = {
        tool: rest.name,
        capability: rest.capability ?? harmless,
        target: JSON.stringify(given),
        risk: rest.risk ?? 'R0',
        outward: rest.outward ?? false,
        destructive: false,
        consequences: rest.description,
      }
      return plan ? { ...usual, ...(await plan(checked.input, context)) } : usual
    },
    writes: writes
      ? async (given, context) => {
          const checked = check(given)
          return checked.ok ? writes(checked.input, context) : { paths: [] }
        }
      : null,
    async run(given, context) {
      const checked = check(given)
      return checked.ok ? run(checked.input, context) : refused('invalid', `${rest.name}: ${checked.why}`)
    },
  }
}
