// One call of EDDI's clients: its path below /eddi, its query words as EDDI reads them (unknown ones are ignored), its answer in EDDI's form.
import { InvalidInput } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Place, Writer } from '../../pipelines/configurations/store.ts'
import { environments } from '../../pipelines/configurations/store.ts'
import type { Caller } from '../caller.ts'
import type { Access, Endpoint, Method, RawCall, Reply } from '../endpoint.ts'
import { prefix } from './prefix.ts'

export type EddiCall = Omit<RawCall, 'caller'> & { readonly caller: Caller }

type Given = {
  readonly method: Method
  /** Below /eddi. */
  readonly path: string
  readonly summary: string
  readonly access: Access
  readonly run: (call: EddiCall) => Promise<Reply>
} & Pick<Endpoint, 'takesSecrets' | 'takesBytes' | 'takesText' | 'mostBytes'>

export function eddi({ path, run, ...given }: Given): Endpoint {
  return {
    ...given,
    path: `${prefix}${path}`,
    answers: { 200: 'text' },
    async run(raw) {
      const { caller } = raw
      if (caller === null) throw new Error(`${given.method} ${path} was reached without a caller`)
      return run({ ...raw, caller })
    },
  }
}

export function placeOf({ user }: Caller): Place {
  return { user: user.name }
}

export function writerOf({ user, actor }: Caller): Writer {
  return { user: user.name, by: actor }
}

// ---- queries

export function flag({ query }: EddiCall, name: string, absent: boolean): boolean {
  const given = query[name]
  if (given === undefined || given === '') return absent
  if (given === 'true' || given === 'false') return given === 'true'
  throw new InvalidInput(`${name} must be true or false`, { path: name })
}

/** A whole number from `least` on; undefined when it is not given. */
export function whole({ query }: EddiCall, name: string, least = 1): number | undefined {
  const given = query[name]
  if (given === undefined || given === '') return undefined
  const number = Number(given)
  if (/^-?\d{1,10}$/.test(given) && number >= least) return number
  throw new InvalidInput(`${name} must be a whole number from ${least} on`, { path: name })
}

/** Names of older versions mean production. */
export function environmentIn(given: string | undefined): (typeof environments)[number] {
  if (given === undefined || given === '' || given === 'unrestricted' || given === 'restricted') return 'production'
  const found = environments.find((one) => one === given)
  if (found) return found
  throw new InvalidInput(`there is no environment ${JSON.stringify(given.slice(0, 64))}; there are: ${environments.join(', ')}`, {
    path: 'environment',
  })
}

// ---- bodies and answers

export function objectIn(body: unknown, what: string): JsonObject {
  if (isJson(body)) return body
  throw new InvalidInput(`the body must be ${what}, a JSON object`)
}

/** A value that came over the wire, and is an object: all in it is JSON. */
export function isJson(value: unknown): value is JsonObject {
  return isObject(value)
}

export function text(status: number, words: string): Reply {
  return { stream: new Response(words, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } }) }
}

/** As EDDI does: the whole address of what was made. */
export function locationOf({ headers }: Pick<EddiCall, 'headers'>, path: string): string {
  return `http://${headers.get('host') ?? 'localhost'}${prefix}${path}`
}
