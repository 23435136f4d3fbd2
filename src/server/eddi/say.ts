// What a say says: plain text, or a text with contexts. A text that is a secret becomes the reference to one.
import { randomBytes } from 'node:crypto'
import { InvalidInput } from '../../base/errors.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { maxTextBytes } from '../../protocol/api.ts'
import type { Work } from '../../protocol/entry.ts'
import { HttpProblem } from '../problem.ts'
import type { EddiCall } from './route.ts'
import { withAttachments } from './say-attachments.ts'
import { contextOf, type Talk } from './talk.ts'

type Heard = { readonly input: string; readonly context: JsonObject }

/** The entry of a say. Throws InvalidInput for what is none, HttpProblem 413 for a text that is too long. */
export async function heardSay(call: EddiCall, talk: Talk): Promise<Work> {
  const { hub, caller, body } = call
  const { input, context } = heardIn(body)
  const bytes = Buffer.byteLength(input)
  if (bytes > maxTextBytes) throw new HttpProblem(413, 'too_large', `the input has ${bytes} bytes; it may have ${maxTextBytes}`)
  const { contexts, attachments } = await withAttachments(call, talk, context)
  const said = isSecret(context) && input.trim() !== '' ? await kept(hub, { input, talk, by: caller.actor }) : await hub.secrets.seal(input)
  const given = Object.keys(contexts).length === 0 ? {} : { context: await hub.secrets.sealJson(contexts) }
  const along = attachments.length === 0 ? {} : { attachments }
  return { kind: 'message', session: talk.session, text: said, ...given, ...along }
}

function heardIn(body: unknown): Heard {
  if (typeof body === 'string') return { input: body, context: {} }
  if (body === undefined) return { input: '', context: {} }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new InvalidInput('the body must be a text, or an object')
  for (const key of Object.keys(body))
    if (key !== 'input' && key !== 'context')
      throw new InvalidInput(`/${key} is not a known field; known are input and context`, { path: `/${key}` })
  const { input = '', context = {} } = { input: undefined, context: undefined, ...body } satisfies { input?: unknown; context?: unknown }
  if (typeof input !== 'string') throw new InvalidInput('/input must be a text', { path: '/input' })
  const given: unknown = context
  if (given !== null && (typeof given !== 'object' || Array.isArray(given)))
    throw new InvalidInput('/context must be an object of contexts by their names', { path: '/context' })
  return { input, context: contextOf(JSON.parse(JSON.stringify(given))) }
}

function isSecret({ secretInput }: JsonObject): boolean {
  const value = isJsonObject(secretInput) ? secretInput['value'] : secretInput
  return value === 'true' || value === true
}

type Keeping = { readonly input: string; readonly talk: Talk; readonly by: EddiCall['caller']['actor'] }

/** Only the agent that it was told may use it. */
async function kept(hub: EddiCall['hub'], { input, talk, by }: Keeping): Promise<string> {
  if (/^\{\{secret:[^{}]+\}\}$/.test(input.trim())) return input.trim()
  const name = `told-${randomBytes(6).toString('hex')}`
  await hub.secrets.set({ name, value: input, agents: [talk.agentName] }, by)
  return `{{secret:${name}}}`
}
