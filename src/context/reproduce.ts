// A call built again from its manifest (X5): every piece is fetched from where it is recorded and put together as it was then.
import { z } from 'zod'
import { NotFound } from '../base/errors.ts'
import { isId, type SessionId } from '../base/ids.ts'
import { isObject, type Json } from '../base/json.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { ModelMessage } from '../models/message.ts'
import type { Event } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { Conversation } from '../scopes/scopes.ts'
import type { ToolSpec } from '../tools/tool.ts'
import { cutTo, notesMessage, user } from './assemble.ts'
import { excerptsText } from './excerpts.ts'
import { framed, markOf } from './frame.ts'
import { hashOf, linesOf, sent, textOfEntry } from './lines.ts'
import { messageId } from './older.ts'
import type { SessionContexts } from './session.ts'
import { summariesText } from './summary.ts'

/** `same`: its hash is that of the request that was sent; false when a line is another one today, or a tool was changed. */
export type Reproduced = { readonly messages: readonly ModelMessage[]; readonly same: boolean; readonly changed: readonly string[] }

export type ReproduceRooms = {
  readonly contexts: SessionContexts
  readonly conversation: Pick<Conversation, 'walk' | 'get'>
  readonly store: Pick<JournalStore, 'readLane' | 'entries'>
  readonly journal: Pick<Journal, 'body'>
  readonly specs: (names: readonly string[]) => readonly ToolSpec[]
}

const source = z.union([z.object({ step: z.string() }), z.object({ entry: z.string() }), z.object({ result: z.string() })])
const call = z.object({ state: z.literal('complete'), id: z.string(), name: z.string(), input: z.record(z.string(), z.json()) })
const broken = z.object({ state: z.literal('incomplete'), id: z.string(), name: z.string(), raw: z.string() })
const calls = z.array(z.union([call, broken]))
const whole = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string() }),
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({ role: z.literal('assistant'), text: z.string(), toolCalls: calls }),
  z.object({ role: z.literal('tool'), callId: z.string(), name: z.string(), text: z.string() }),
])
const ownRef = z.object({
  hash: z.string(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  from: source.exactOptional(),
  call: z.object({ id: z.string(), name: z.string() }).exactOptional(),
  cut: z.number().exactOptional(),
  hub: z.boolean().exactOptional(),
  line: whole.exactOptional(),
})
const part = z.discriminatedUnion('part', [
  z.object({ part: z.literal('foundation'), hash: z.string() }),
  z.object({ part: z.literal('memories'), texts: z.array(z.string()) }),
  z.object({ part: z.literal('summaries'), ids: z.array(z.string()) }),
  z.object({ part: z.literal('lines'), to: z.string(), given: z.number() }),
  z.object({ part: z.literal('excerpts'), lines: z.array(z.object({ id: z.string(), at: z.number(), length: z.number() })) }),
  z.object({ part: z.literal('notes'), texts: z.array(z.string()) }),
  z.object({ part: z.literal('own'), lines: z.array(ownRef) }),
])
const given = z.object({
  v: z.literal(2),
  hash: z.string(),
  order: z.array(part),
  tools: z.object({ names: z.array(z.string()), hash: z.string() }),
})
type OwnRef = z.infer<typeof ownRef>
type Part = z.infer<typeof part>

type Place = { readonly rooms: ReproduceRooms; readonly event: Event; readonly session: SessionId; readonly mark: string }

export async function reproduce(rooms: ReproduceRooms, event: Event): Promise<Reproduced> {
  if (event.type !== 'manifest' || !isId('ses', event.session)) throw gone('a manifest that a call can be built from')
  const place: Place = { rooms, event, session: event.session, mark: markOf(event.lane) }
  const manifest = given.safeParse(await givenIn(place))
  if (!manifest.success) throw gone('a manifest that a call can be built from')
  const messages: ModelMessage[] = []
  const changed: string[] = []
  for (const one of manifest.data.order) messages.push(...(await partOf(place, one, changed)))
  const { names, hash } = manifest.data.tools
  const specs = rooms.specs(names)
  if (hashOf(specs) !== hash) changed.push('tools')
  return { messages, same: changed.length === 0, changed }
}

/** In the record of the step that the call was; older facts hold it themselves. */
async function givenIn(place: Place): Promise<unknown> {
  const { step, given: own } = place.event.data
  if (own !== undefined) return own
  const recordedAs = (await stepsOf(place)).get(String(step))
  return isObject(recordedAs) ? recordedAs['given'] : undefined
}

async function partOf(place: Place, one: Part, changed: string[]): Promise<readonly ModelMessage[]> {
  const { rooms, session, event, mark } = place
  switch (one.part) {
    case 'foundation': {
      const found = await rooms.contexts.foundationOf(session, event.lane, one.hash)
      if (!found) throw gone(`the foundation ${one.hash.slice(0, 12)}`)
      return [{ role: 'system', text: found.text }]
    }
    case 'memories':
      return [user(framed(mark, 'memory', one.texts.join('\n\n')))]
    case 'summaries': {
      const state = await rooms.contexts.state(session)
      const found = one.ids.map((id) => state.summaries.find((summary) => summary.id === id) ?? fail(`the summary ${id}`))
      return [user(framed(mark, 'record', summariesText(mark, found)))]
    }
    case 'lines': {
      const lines = await rooms.conversation.walk(messageId(one.to), one.given)
      if (lines.length !== one.given) throw gone(`lines before ${one.to}`)
      return linesOf(lines, mark)
    }
    case 'excerpts': {
      const shown = await Promise.all(one.lines.map(async ({ id, at, length }) => ({ message: await lineOf(place, id), at, length })))
      return [user(framed(mark, 'excerpts', excerptsText(mark, shown)))]
    }
    case 'notes':
      return notesMessage(mark, one.texts)
    case 'own':
      return ownOf(place, one.lines, changed)
  }
}

async function lineOf({ rooms }: Place, id: string): Promise<Message> {
  const known = messageId(id)
  return (known && (await rooms.conversation.get(known))) ?? fail(`the line ${id}`)
}

async function ownOf(place: Place, refs: readonly OwnRef[], changed: string[]): Promise<readonly ModelMessage[]> {
  const steps = refs.some((ref) => ref.from && !('entry' in ref.from)) ? await stepsOf(place) : new Map<string, Json>()
  const lines: ModelMessage[] = []
  for (const ref of refs) {
    const line = cutTo(sent({ ...(ref.line ?? (await recorded(place, ref, steps))), hub: ref.hub ?? false }, place.mark), ref.cut)
    if (hashOf([line]) !== ref.hash) changed.push(`line ${lines.length + 1} of the turn`)
    lines.push(line)
  }
  return lines
}

async function recorded({ rooms, event }: Place, ref: OwnRef, steps: ReadonlyMap<string, Json>): Promise<ModelMessage> {
  const { from } = ref
  if (from === undefined) throw gone('a line of the turn')
  if ('entry' in from) {
    const id = isId('ent', from.entry) ? from.entry : fail(`the entry ${from.entry}`)
    const [entry] = await rooms.store.entries(event.lane, [id])
    const text = entry && textOfEntry(entry)
    return text === undefined || text === null ? fail(`the entry ${from.entry}`) : { role: 'user', text }
  }
  const value = 'step' in from ? steps.get(from.step) : [...steps.values()].find((one) => hashOf(textIn(one) ?? '') === from.result)
  const text = textIn(value) ?? fail('step' in from ? `what the step ${from.step} gave` : 'what a tool gave')
  if (ref.role === 'tool') return { role: 'tool', callId: ref.call?.id ?? '', name: ref.call?.name ?? '', text }
  if (ref.role !== 'assistant') return user(text)
  const read = calls.safeParse(isObject(value) ? value['toolCalls'] : null)
  return { role: 'assistant', text, toolCalls: read.success ? read.data : [] }
}

function textIn(value: Json | undefined): string | null {
  return isObject(value) && typeof value['text'] === 'string' ? value['text'] : null
}

/** A turn has fewer events than this before any of its calls. */
const mostEvents = 5_000

/** What the steps of the turn gave, by name. */
async function stepsOf({ rooms, event }: Place): Promise<ReadonlyMap<string, Json>> {
  const turn = event.data['turn']
  const events = await rooms.store.readLane(event.lane, Math.max(0, event.seq - mostEvents), mostEvents)
  const steps = new Map<string, Json>()
  for (const { type, data } of events) {
    if (type !== 'step-done' || data['turn'] !== turn) continue
    const { name, value = null, ref } = data
    const text = typeof ref === 'string' ? await rooms.journal.body(ref) : null
    steps.set(String(name), text === null ? value : JSON.parse(text))
  }
  return steps
}

function fail(what: string): never {
  throw gone(what)
}
function gone(what: string): NotFound {
  return new NotFound(`The call can't be built again: ${what} is not there any more.`, { path: 'manifest' })
}
