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
  if (issue.code === 'too_small') return `${where} is too small or too short: at least ${issue.minimum}`
  if (issue.code === 'too_big') return `${where} is too large or too long: at most ${issue.maximum}`
  if (issue.code === 'invalid_union') return `${where} fits none of the allowed forms: ${forms(issue.errors)}`
  return `${where}: ${issue.message}`
}

function missing(issue: Issue): string {
  return issue.input === undefined && issue.message.includes('undefined') ? ' and is missing' : ''
}

function forms(errors: readonly (readonly Issue[])[]): string {
  return errors.map((form) => form.map((one) => `${one.path.join('.') || 'value'}: ${one.message}`).join(', ')).join(' | ')
}
