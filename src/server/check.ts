// A value against its schema: what it is, or a refusal that names the field and what is allowed.
import type { z } from 'zod'
import { InvalidInput } from '../base/errors.ts'
import { pointerPart } from './body.ts'

/** Throws InvalidInput for the first thing that is wrong; `path` is a JSON pointer below `base`. */
export function check<S extends z.ZodType>(schema: S, value: unknown, base = ''): z.infer<S> {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw refusal(checked.error.issues, base)
}

type Issue = z.core.$ZodIssue

function refusal(issues: readonly Issue[], base: string): InvalidInput {
  const issue = issues[0]
  if (issue === undefined) return new InvalidInput('the value is not allowed here', { path: base })
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const parts = unknown === undefined ? issue.path : [...issue.path, unknown]
  const path = base + parts.map((part) => `/${pointerPart(String(part))}`).join('')
  return new InvalidInput(sentence(issue, path), { path })
}

function sentence(issue: Issue, path: string): string {
  const where = path === '' ? 'the body' : path
  if (issue.code === 'unrecognized_keys') return `${where} is not a known field`
  if (issue.code === 'invalid_type') return `${where} must be of type ${issue.expected}${missing(issue)}`
  if (issue.code === 'invalid_value') return `${where} must be one of: ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small') return `${where} must ${size(issue.origin, 'at least', issue.minimum)}`
  if (issue.code === 'too_big') return `${where} must ${size(issue.origin, 'at most', issue.maximum)}`
  if (issue.code === 'invalid_union') return `${where} fits none of the allowed forms: ${forms(issue.errors)}`
  return `${where}: ${issue.message}`
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'member', set: 'member', map: 'member' }

/** "have at most 128 characters", "not be empty", "be at least 1" */
function size(origin: string, bound: 'at least' | 'at most', limit: number | bigint): string {
  const unit = units[origin]
  if (unit === undefined) return `be ${bound} ${limit}`
  if (bound === 'at least' && Number(limit) === 1) return 'not be empty'
  return `have ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function missing(issue: Issue): string {
  return issue.input === undefined && issue.message.includes('undefined') ? ' and is missing' : ''
}

function forms(errors: readonly (readonly Issue[])[]): string {
  return errors.map((form) => form.map((one) => `${one.path.join('.') || 'value'}: ${one.message}`).join(', ')).join(' | ')
}
