// Artifacts: kept as documents of the project with their envelope beside them, and read back and checked before anybody builds on
// them (E21). They carry what their makers had on their minds (E12). Each emit and each check is a line of the run's trace.
import { hash } from 'node:crypto'
import { iso } from '../../base/clock.ts'
import { sha256 } from '../../base/hash.ts'
import type { ProcessInfo, Turn } from '../../lanes/engine.ts'
import type { Taint } from '../../policy/decision.ts'
import type { Taints } from '../../policy/policy.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { DocumentLevel, Documents } from '../../scopes/scopes.ts'
import { composeEnvelope, envelopePath, envelopeText } from '../../work/envelope/compose.ts'
import { type Contract, type Performative, tokensOf, type VerifyFailure } from '../../work/envelope/envelope.ts'
import { type HandoffEvent, handoffEvent, traceLine } from '../../work/envelope/trace.ts'
import { uuids } from '../../work/envelope/uuid.ts'
import { type Seen, verifyHandoff } from '../../work/envelope/verify.ts'
import type { Member } from './cast.ts'
import { gistOf, type Said } from './handover.ts'

export type KeepRooms = {
  readonly documents: Pick<Documents, 'find' | 'write'>
  readonly taint: Pick<Taints, 'writing'>
  /** Takes secrets out, so that what is hashed is what is kept. */
  readonly seal?: (text: string) => Promise<string>
}

/** What is recorded of an artifact: where it lies and what it must be. Its text is read from there each time. */
export type Kept = {
  /** From 1, in the order in which they were made. */
  readonly number: number
  /** Of the step that made it, from 0. */
  readonly step: number
  readonly agent: string
  readonly to: string
  readonly kind: string
  readonly path: string
  readonly sha256: string
  /** SHA-256 of the envelope's own text: what it says about the artifact counts as well. */
  readonly envelope: string
  readonly tokens: number
  readonly performative: Performative
  readonly message: string
  readonly thread: string
  readonly contract: Contract
  /** One line of it. */
  readonly gist: string
}

/** Where the documents of one chain lie. */
export type Folder = { readonly path: string; readonly level: Exclude<DocumentLevel, 'bundled' | 'process'>; readonly scope: string }

export function folderOf({ id, process: { project } }: { readonly id: string; readonly process: Pick<ProcessInfo, 'project'> }): Folder {
  return { path: `handoffs/run_${id.slice(4)}`, level: userOfHome(project) === null ? 'project' : 'home', scope: project }
}

export type Keeping = {
  readonly folder: Folder
  readonly number: number
  readonly step: number
  readonly from: Member
  readonly kind: string
  readonly to: string
  readonly said: Said
  readonly contract: Contract
  readonly order: string
  readonly tier: 'standard' | 'trance'
  readonly model: string
  /** The message before it in the thread; null: it is the first. */
  readonly after: Seen | null
  /** What its maker was given only by where it lies. */
  readonly handles: readonly string[]
  /** What was on the chain's mind. */
  readonly taint: Taint
}

/** One step, which may be done again: the same words make the same documents. */
export async function keep(rooms: KeepRooms, turn: Turn, keeping: Keeping): Promise<Kept> {
  const { number } = keeping
  const at = turn.now(`kept-at-${number}`)
  return turn.step(`keep-${number}`, 'idempotent', async ({ key }) => {
    const seal = rooms.seal ?? (async (text: string) => text)
    const text = await seal(`${keeping.said.text.trim()}\n`.toWellFormed().replaceAll('\0', ''))
    const said = { ...keeping.said, front: await seal(keeping.said.front) }
    const made = composed({ ...keeping, said, order: await seal(keeping.order) }, { text, key, at })
    await written(rooms, turn, keeping, made)
    await traced(rooms, turn, keeping.folder, [handoffEvent(made.envelope, { event: 'emit' }, at)])
    return made.kept
  })
}

/** Both carry the taint before they are there, so that no kill leaves them without it. */
async function written(rooms: KeepRooms, turn: Turn, { folder: { level, scope }, taint }: Keeping, { kept, envelope, text }: Composed) {
  const { id: process, session } = turn.process
  const by = `process:${process}` as const
  const documents = [
    { path: kept.path, text },
    { path: envelopePath(kept.path), text: envelopeText(envelope) },
  ]
  // The names under which whoever reads them looks for taint (tools/documents).
  const paths = documents.map(({ path }) => `document:${level}/${scope}/${path}`)
  const marks = await rooms.taint.writing({ process, session, paths, taint })
  for (const one of documents) await rooms.documents.write({ ...one, level, scope }, by)
  await marks.wrote({ paths, taint, sources: [by] })
}

type Made = { readonly text: string; readonly key: string; readonly at: number }

type Composed = { readonly kept: Kept; readonly envelope: ReturnType<typeof composeEnvelope>; readonly text: string }

function composed(keeping: Keeping, { text, key, at }: Made): Composed {
  const { folder, number, from, kind, said, contract, order, after, handles } = keeping
  const path = `${folder.path}/${number}-${kind}.md`
  const bytes = new TextEncoder().encode(text)
  const gist = gistOf(text)
  const envelope = composeEnvelope(
    {
      from: { eidolon: from.agent, version: 'n/a' },
      to: { eidolon: keeping.to, version: 'n/a' },
      performative: said.performative,
      objective: gistOf(order, 200) || `Hand-over of ${from.title}`,
      artifact: { kind, path, bytes },
      edgeOrigin: contract.edgeOrigin ?? 'implicit',
      trace: { host: 'steward', model: keeping.model, tier: keeping.tier },
      ...(after === null ? {} : { after }),
      context: { ...contextOf(contract, text, gist), handles: handles.map((one) => one.split(' ')[0] ?? one) },
      trust: contract.trustLevel ?? 'standard',
      ...(said.performative === 'ESCALATE' ? { assumptions: [said.front || 'the step could not be done'] } : {}),
    },
    { newUuid: uuids({ now: () => at, random: (count) => digestOf(key).subarray(0, count) }), now: () => at },
  )
  const { message_id: message, thread_id: thread } = envelope
  const facts = { number, step: keeping.step, agent: from.agent, to: keeping.to, kind, path, contract, gist, message, thread }
  const hashes = { sha256: envelope.artifact.sha256, envelope: sha256(envelopeText(envelope)) }
  return { text, envelope, kept: { ...facts, ...hashes, tokens: tokensOf(text), performative: said.performative } }
}

/** What doesn't fit is given by where it lies: then only the summary counts. */
function contextOf({ tokenBudgetMax }: Contract, text: string, summary: string): { budget: number; summary: string; tokensUsed: number } {
  const budget = tokenBudgetMax ?? usualBudget
  const whole = tokensOf(text) + tokensOf(summary)
  return { budget, summary, tokensUsed: whole <= budget ? whole : tokensOf(summary) }
}

export const usualBudget = 4_000

/** `texts`: of those that fit whole into the budget, the newest first taken; null: where it lies has to do. */
export type Checked =
  | { readonly ok: true; readonly texts: readonly (string | null)[] }
  | { readonly ok: false; readonly code: VerifyFailure; readonly why: string; readonly number: number }

export type Checking = {
  readonly name: string
  readonly folder: Folder
  readonly kept: readonly Kept[]
  /** All messages of the thread so far, in their order, also of artifacts that count no more. */
  readonly messages: readonly Seen[]
  /** Tokens. */
  readonly budget: number
}

/** Reads all of them back and checks each. Recorded, so that a replay decides the same. */
export async function check(rooms: KeepRooms, turn: Turn, checking: Checking): Promise<Checked> {
  const { name, folder, kept, messages, budget } = checking
  const at = turn.now(`${name}-at`)
  return turn.step<Checked>(name, 'idempotent', async () => {
    const looked: { readonly one: Kept; readonly text: string | null; readonly failure: Failure | null }[] = []
    for (const one of kept) {
      looked.push(await look(rooms, folder, { one, seen: before(messages, one) }))
      if (looked.at(-1)?.failure) break
    }
    const events = looked.map(({ one, failure }) => looking(one, failure?.code ?? null, at))
    await traced(rooms, turn, folder, events)
    const wrong = looked.find(({ failure }) => failure !== null)
    if (wrong?.failure) return { ok: false, code: wrong.failure.code, why: wrong.failure.why, number: wrong.one.number }
    return { ok: true, texts: fitting(looked, budget) }
  })
}

type Failure = { readonly code: VerifyFailure; readonly why: string }

async function look(rooms: KeepRooms, folder: Folder, { one, seen }: { readonly one: Kept; readonly seen: readonly Seen[] }) {
  const text = await textAt(rooms, folder, one.path)
  const envelope = (await textAt(rooms, folder, envelopePath(one.path))) ?? ''
  const bytes = text === null ? null : new TextEncoder().encode(text)
  const payload = (path: string) => (path === one.path ? bytes : null)
  const verdict = verifyHandoff({ envelopeText: envelope, payload, contract: one.contract, seen })
  const isOther = verdict.ok && (verdict.envelope.artifact.sha256 !== one.sha256 || sha256(envelope) !== one.envelope)
  return { one, text, failure: verdict.ok ? (isOther ? replaced : null) : { code: verdict.code, why: verdict.why } }
}

function before(messages: readonly Seen[], { message }: Kept): readonly Seen[] {
  const at = messages.findIndex((one) => one.message_id === message)
  return messages.slice(0, Math.max(0, at))
}

function fitting(looked: readonly { readonly one: Kept; readonly text: string | null }[], budget: number): readonly (string | null)[] {
  let left = budget
  const texts = looked.toReversed().map(({ one, text }) => {
    if (one.tokens > left) return null
    left -= one.tokens
    return text
  })
  return texts.toReversed()
}

const replaced = { code: 'INTEGRITY_MISMATCH', why: 'The artifact or its envelope was replaced by another.' } as const

/** Of that very place: what lies further in or out is another document. */
async function textAt({ documents }: KeepRooms, { level, scope }: Folder, path: string): Promise<string | null> {
  const found = await documents.find(path, level === 'home' ? { user: scope.replace(/^_user_/, '') } : { project: scope })
  return found !== null && found.level === level && found.scope === scope ? found.text : null
}

// ---- the trace

const mostTrace = 900_000

/** By run: the last that adds to its trace. Parts are checked side by side, and none may write over the lines of another. */
const tracing = new Map<string, Promise<void>>()

function traced(rooms: KeepRooms, turn: Turn, folder: Folder, events: readonly HandoffEvent[]): Promise<void> {
  const before = tracing.get(folder.path) ?? Promise.resolve()
  const mine = before.catch(() => undefined).then(() => addLines(rooms, turn, folder, events))
  tracing.set(folder.path, mine)
  const done = () => void (tracing.get(folder.path) === mine && tracing.delete(folder.path))
  mine.then(done, done)
  return mine
}

/** A line that stands there already is not written again. */
async function addLines(rooms: KeepRooms, turn: Turn, folder: Folder, events: readonly HandoffEvent[]): Promise<void> {
  const path = `${folder.path}/trace.jsonl`
  const before = (await textAt(rooms, folder, path)) ?? ''
  const known = new Set(before.split('\n').map((line) => `${line}\n`))
  const fresh = events.map(traceLine).filter((line) => !known.has(line))
  if (fresh.length === 0 || before.length > mostTrace) return
  const { level, scope } = folder
  const text = `${before}${fresh.join('')}`
  await rooms.documents.write({ path, level, scope, text, mime: 'application/jsonl' }, `process:${turn.process.id}`)
}

function looking(kept: Kept, failure: VerifyFailure | null, at: number): HandoffEvent {
  return {
    ...{ ts: iso(at), event: failure === null ? 'verify_pass' : 'verify_fail', message_id: kept.message, thread_id: kept.thread },
    ...{ from: `${kept.agent}@n/a`, to: `${kept.to}@n/a` },
    ...{ performative: kept.performative, integrity_method: 'sha256' },
    ...(failure === null ? {} : { verify_failure_code: failure }),
  }
}

// ---- small pieces

function digestOf(key: string): Uint8Array {
  return hash('sha256', key, 'buffer')
}
