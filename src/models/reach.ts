// Whether the chosen models' servers answer: for `steward doctor`. Asks for the list of models, which costs nothing.

import { messageOf } from '../base/errors.ts'
import { type Choice, nameOf } from './choice.ts'

/** `ok` with what was found, or why not, in a sentence for a person. */
export type Reached = { readonly ok: boolean; readonly detail: string }

/** Must not throw; ends within `timeoutMs`. */
export async function reach(choice: Choice, timeoutMs: number): Promise<Reached> {
  const name = nameOf(choice)
  if (choice.missing !== null) return { ok: false, detail: choice.missing }
  try {
    const headers = choice.key === null ? {} : { authorization: `Bearer ${choice.key}` }
    const answer = await fetch(`${choice.baseUrl}/models`, { headers, signal: AbortSignal.timeout(timeoutMs) })
    await answer.body?.cancel()
    if (answer.status === 401 || answer.status === 403) return { ok: false, detail: `the provider of ${name} refuses the key` }
    return answer.status < 500
      ? { ok: true, detail: `${name} answers` }
      : { ok: false, detail: `the provider of ${name} answers with ${answer.status}` }
  } catch (error) {
    return { ok: false, detail: `the provider of ${name} does not answer: ${whyOf(error)}` }
  }
}

/** fetch says "fetch failed" and keeps the reason as its cause. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return messageOf(error)
  return 'code' in cause ? String(cause.code) : cause.message
}
