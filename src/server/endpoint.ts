// One call of the HTTP interface: its path, who may, the schemas that check it and describe it, and what it does.
import { z } from 'zod'
import { InvalidInput } from '../base/errors.ts'
import type { TokenScope } from '../protocol/api.ts'
import type { Caller } from './caller.ts'
import { check } from './check.ts'
import type { Hub } from './hub.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `anyone`: no credential. `owner`: the owner through the command line's socket only. `person`: any credential. Else a token's scope. */
export type Access = 'anyone' | 'owner' | 'person' | TokenScope

export type Reply =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly stream: Response }

/** What is given to a call before its schemas have checked it. */
export type RawCall = {
  readonly hub: Hub
  readonly caller: Caller | null
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Idempotency-Key, null when none was given. */
  readonly key: string | null
}

export type Call<Q, B> = Omit<RawCall, 'query' | 'body' | 'caller'> & {
  readonly caller: Caller
  readonly query: Q
  readonly body: B
}

export type Described = {
  readonly method: Method
  /** Hono's form: /api/sessions/:id; a `{.+}` parameter takes the rest. */
  readonly path: string
  readonly summary: string
  readonly access: Access
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Its body is given as it came: it is where secrets are handed over. All others get it sealed (V2). */
  readonly takesSecrets?: true
  /** Its body is bytes, at most so many, given as a Uint8Array: what is secret in them is its own business. */
  readonly takesBytes?: number
  /** Its body is bytes that are read as they come, given as a ReadableStream; more than so many are refused at once. */
  readonly takesStream?: number
  /** Its body may have so many bytes; absent: as many as any. */
  readonly mostBytes?: number
  /** Its body may also be plain text, given as a string. */
  readonly takesText?: true
  /** Status and schema of each answer that is no problem. */
  readonly answers: Readonly<Record<number, z.ZodType | 'text' | 'events'>>
}

export type Endpoint = Described & {
  /** Throws StewardError; everything else thrown is a bug. */
  run(raw: RawCall): Promise<Reply>
}

type Given<Q extends z.ZodType, B extends z.ZodType> = Omit<Described, 'query' | 'body'> & {
  readonly query?: Q
  readonly body?: B
  readonly run: (call: Call<z.infer<Q>, z.infer<B>>) => Promise<Reply>
}

/** A call of somebody known. */
export function endpoint<Q extends z.ZodType, B extends z.ZodType>(given: Given<Q, B>): Endpoint {
  const { run, ...described } = given
  return {
    ...described,
    async run(raw) {
      if (raw.caller === null) throw new Error(`${given.method} ${given.path} was reached without a caller`)
      const query = check(given.query ?? noParameters, raw.query)
      const body = check(given.body ?? anything, bodyOf(given, raw.body))
      return run({ ...raw, caller: raw.caller, query: query as z.infer<Q>, body: body as z.infer<B> })
    },
  }
}

const noParameters = z.strictObject({})
const anything = z.unknown()

/** A call without a body schema takes none, or an empty object. */
function bodyOf(given: Described, body: unknown): unknown {
  if (given.takesBytes !== undefined || given.takesStream !== undefined) return body
  if (given.body) return body ?? {}
  if (body === undefined || isEmpty(body)) return undefined
  throw new InvalidInput('this call takes no body')
}

function isEmpty(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}
