// What can be read off a thing that a provider library, fetch or a broken stream has thrown, whatever its class.
import { isObject } from '../base/json.ts'

export type Seen = {
  readonly status: number | null
  /** The provider's own sentence, or the error's. */
  readonly text: string
  /** Its words of a kind: codes, types, names. */
  readonly kind: string
  readonly headers: Readonly<Record<string, unknown>>
  /** All that the provider sent, as text. */
  readonly body: string
}

export function see(thrown: unknown): Seen {
  const fields = recordOf(thrown)
  const data = recordOf(recordOf(fields.data).error)
  const status = typeof fields.statusCode === 'number' ? fields.statusCode : null
  return {
    status,
    text: firstText([data.message, fields.message, recordOf(fields.data).error, typeof thrown === 'string' ? thrown : undefined]),
    kind: [data.code, data.type, data.status, fields.code, fields.type, fields.name, causeOf(fields.cause)].filter(isText).join(' '),
    headers: recordOf(fields.responseHeaders),
    body: isText(fields.responseBody) ? fields.responseBody.slice(0, 20_000) : (safeText(fields.data) ?? ''),
  }
}

/** Why a connection failed stands in the cause, sometimes in the cause's cause. */
function causeOf(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 3) return undefined
  const code = 'code' in cause && isText(cause.code) ? cause.code : ''
  return `${code} ${causeOf(cause.cause, depth + 1) ?? ''}`.trim()
}

function safeText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)?.slice(0, 20_000)
  } catch {
    return undefined
  }
}

const named = ['message', 'name', 'code', 'statusCode', 'responseHeaders', 'responseBody', 'data', 'type', 'error', 'cause'] as const

/** `message`, `name` and `code` of an Error are not enumerable. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {}
  return Object.fromEntries([
    ...Object.entries(value),
    ...named.filter((key) => key in value).map((key): [string, unknown] => [key, Reflect.get(value, key)]),
  ])
}

function firstText(values: readonly unknown[]): string {
  return values.find((value): value is string => isText(value) && value !== '') ?? ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
