// Effects (L5): the start is committed before the act, the record rides with the next commit, a recorded step gives back its
// value. A once step whose outcome nobody knows is looked up, or the person is asked.
import { messageOf } from '../base/errors.ts'
import { isObject, isSurelyShort, type Json, jsonCopy } from '../base/json.ts'
import { inlineLimit } from '../journal/journal.ts'
import { draft } from './draft.ts'
import { type Act, type Answer, NotDone, type Once, type OnceOptions, type Reconcile, StepFailed, Stopped } from './engine.ts'
import type { Recorded, StepKind } from './events.ts'
import { type Run, subMark } from './running.ts'
import type { NameRecord } from './state.ts'
import { ask } from './turn-ask.ts'

/** So long after the store could not be read it is asked again. */
const unreadableMs = 1_000

type Named = { readonly name: string; readonly kind: StepKind }
type Does<T> = (act: Act) => Promise<T>
type StepRecord = Extract<NameRecord, { kind: 'step' }>

export async function step<T extends Json>(run: Run, named: Named, act: Does<T>): Promise<T> {
  const found = enterStep(run, named)
  if (found && found.state !== 'started') return replayed(run, named, found)
  return perform(run, named, { act, attempt: (found?.attempt ?? 0) + 1 })
}

export async function read<T extends Json>(run: Run, name: string, look: () => Promise<T>): Promise<T> {
  const named: Named = { name, kind: 'read' }
  const found = enterStep(run, named)
  if (found && found.state !== 'started') return replayed(run, named, found)
  const finish = run.begin()
  try {
    const value = jsonCopy(await look())
    if (run.dead()) return await run.never()
    if (run.turn().stopping) throw new Stopped('the turn was stopped')
    record(run, named, value)
    return value
  } catch (thrown) {
    if (run.dead()) return await run.never()
    throw thrown instanceof Stopped ? thrown : failed(run, named, thrown)
  } finally {
    finish()
  }
}

export async function once<T extends Json>(
  run: Run,
  name: string,
  { act, ...how }: { readonly act: Does<T> } & OnceOptions<T>,
): Promise<Once<T>> {
  const named: Named = { name, kind: 'once' }
  const found = enterStep(run, named)
  if (found?.state === 'failed') throw new StepFailed(name, found.message, found.code)
  if (found?.state === 'done')
    return found.outcome === 'done' ? { was: 'done', value: (await recall(run, found.recorded)) as T } : { was: found.outcome }
  let attempt = found?.attempt ?? 0
  let again = attempt === 0
  for (;;) {
    if (again) {
      attempt += 1
      const value = await performOnce(run, named, { act, attempt })
      if (value.known) return { was: 'done', value: value.value }
    }
    const outcome = await findOut(run, { name, attempt, ...how })
    if (outcome === 'again') again = true
    else return outcome
  }
}

function enterStep(run: Run, named: Named): StepRecord | null {
  const found = run.enter(named.name, 'step')
  if (found === null) return null
  const record = found as StepRecord
  if (record.effect !== named.kind) run.fail(`the step "${named.name}" was ${record.effect} and is now ${named.kind}`)
  return record
}

/** What an earlier run recorded: its value, or its throw. */
async function replayed<T extends Json>(run: Run, { name }: Named, found: Exclude<StepRecord, { state: 'started' }>): Promise<T> {
  if (found.state === 'failed') throw new StepFailed(name, found.message, found.code)
  return (await recall(run, found.recorded)) as T
}

type Attempt<T> = { readonly act: Does<T>; readonly attempt: number }
/** `known` is false when nobody can say whether the effect happened. */
type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false }

async function perform<T extends Json>(run: Run, named: Named, given: Attempt<T>): Promise<T> {
  const done = await effect(run, named, given, (thrown) => {
    throw failed(run, named, thrown)
  })
  if (!done.known) throw new Error('an effect that may be repeated is never unclear')
  return done.value
}

function performOnce<T extends Json>(run: Run, named: Named, given: Attempt<T>): Promise<Known<T>> {
  return effect(run, named, given, () => ({ known: false }))
}

/** One attempt. `unclear` says what a throw means that is neither a sure no nor the stop of the turn. */
async function effect<T extends Json>(
  run: Run,
  named: Named,
  given: Attempt<T>,
  unclear: (thrown: unknown) => Known<T>,
): Promise<Known<T>> {
  await run.hold()
  const finish = run.begin()
  try {
    await start(run, named, given.attempt)
    const value = await acted(run, named, given)
    if (run.dead()) return await run.never()
    record(run, named, value)
    if (run.turn().stopping) throw new Stopped('the turn was stopped')
    return { known: true, value }
  } catch (thrown) {
    if (run.dead()) return await run.never()
    if (thrown instanceof NotDone) throw failed(run, named, thrown)
    if (thrown instanceof Stopped || run.turn().stopping) throw new Stopped('the turn was stopped')
    return unclear(thrown)
  } finally {
    finish()
  }
}

/** Commits the start; nothing acts before that is durable, nor when the turn was stopped or the lease is short (L7). */
async function start(run: Run, { name, kind }: Named, attempt: number): Promise<void> {
  const { core } = run
  const durable = await core.write({ events: [draft('step-started', { turn: run.turn().id, name, kind, attempt })] })
  if (!durable || run.dead() || !core.mayAct()) return run.never()
  if (run.turn().stopping) {
    if (kind === 'once') failed(run, { name, kind }, new NotDone('stopped before it began'))
    throw new Stopped('the turn was stopped')
  }
}

async function acted<T extends Json>(run: Run, { name }: Named, given: Attempt<T>): Promise<T> {
  const { core } = run
  const turn = run.turn()
  const { process } = core.state()
  if (!process) throw new Error('a step without a process')
  const spot = { session: process.session, process: process.id, turn: turn.id, step: name }
  core.live.begin(spot, given.attempt)
  const heard = (tell: () => void) => {
    if (!run.dead()) tell()
  }
  const value = await given.act({
    key: keyOf(run, name),
    attempt: given.attempt,
    priority: turn.priority,
    signal: run.signal,
    stream: (words) => heard(() => core.live.words(spot, words)),
    progress: (words) => heard(() => core.live.progress(spot, core.scrub(words))),
  })
  return jsonCopy(value)
}

function record(run: Run, { name, kind }: Named, value: Json): void {
  const { recorded, bodies } = store(run, value)
  void run.core.write({ events: [draft('step-done', { turn: run.turn().id, name, kind, outcome: 'done', ...recorded })], bodies })
}

function store(run: Run, value: Json) {
  // Nearly always: then it is written down once, with its event.
  if (isSurelyShort(value, inlineLimit)) return { recorded: { value } as Recorded, bodies: [] }
  const text = JSON.stringify(value)
  const large = run.core.journal.large(text)
  if (large.inline) return { recorded: { value } as Recorded, bodies: [] }
  return { recorded: { ref: large.body.hash, size: text.length } as Recorded, bodies: [large.body] }
}

/** A large value is read when its step is visited (T29). */
async function recall(run: Run, recorded: Recorded): Promise<Json> {
  if ('value' in recorded) return jsonCopy(recorded.value)
  const finish = run.begin()
  try {
    const text = await bodyOf(run, recorded.ref)
    if (text === null) throw new Error(`the recorded value ${recorded.ref} is missing from the store`)
    return JSON.parse(text) as Json
  } finally {
    finish()
  }
}

/** A store that can't be read for a while fails no turn. */
async function bodyOf(run: Run, ref: string): Promise<string | null> {
  const { journal, clock } = run.core
  for (;;) {
    const text = await journal.body(ref).catch(() => undefined)
    if (run.dead()) return run.never()
    if (text !== undefined) return text
    await new Promise<void>((again) => clock.after(unreadableMs, again))
  }
}

function failed(run: Run, { name, kind }: Named, thrown: unknown): StepFailed {
  const code = thrown instanceof StepFailed ? thrown.code : codeOf(thrown)
  const error = new StepFailed(name, run.core.scrub(messageOf(thrown)), code)
  void run.core.write({
    events: [draft('step-failed', { turn: run.turn().id, name, kind, message: error.message, code })],
  })
  return error
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof NotDone) return 'not_done'
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : 'failed'
}

const choices = { yes: 'Yes, it happened', again: 'No, do it again', leave: 'Leave it' } as const

/** After a crash or an unclear error: the step's own way to find out, else the person's word. Its names belong to the step (T14). */
async function findOut<T extends Json>(
  run: Run,
  given: { readonly name: string; readonly attempt: number } & OnceOptions<T>,
): Promise<Once<T> | 'again'> {
  const { name, attempt, reconcile, words = name } = given
  if (reconcile) {
    const result = await lookUp(run, { name, attempt, reconcile })
    if (result.found === 'not-done') return 'again'
    if (result.found === 'done') {
      record(run, { name, kind: 'once' }, result.value)
      return { was: 'done', value: result.value }
    }
  }
  const answer = await ask(run, `${name}${subMark}asked-${attempt}`, { what: question(words), wake: false })
  if (answer.kind !== 'answer') throw new Error('a question that nothing wakes ended without an answer')
  return decided(run, name, answer)
}

type Found<T> = Awaited<ReturnType<Reconcile<T>>>

/** Asks about the effect's own key, not about the looking. To fail to find out is to know nothing. */
async function lookUp<T extends Json>(
  run: Run,
  given: { readonly name: string; readonly attempt: number; readonly reconcile: Reconcile<T> },
): Promise<Found<T>> {
  const { name, attempt, reconcile } = given
  const named: Named = { name: `${name}${subMark}found-${attempt}`, kind: 'replayable' }
  try {
    const found = await step(run, named, async (act) => (await reconcile({ ...act, key: keyOf(run, name) })) as Json)
    return found as Found<T>
  } catch (thrown) {
    if (thrown instanceof StepFailed) return { found: 'unknown' }
    throw thrown
  }
}

function keyOf(run: Run, name: string): string {
  return `${run.turn().id}/${name}`
}

function question(words: string) {
  return {
    kind: 'question' as const,
    text: `I was interrupted while doing "${words}", and can't tell whether it happened. Did it?`,
    options: Object.values(choices).map((label) => ({ label })),
  }
}

function decided<T>(run: Run, name: string, answer: Answer): Once<T> | 'again' {
  const said = wordOf(answer.value)
  if (said === choices.again) return 'again'
  const was = said === choices.yes ? 'assumed' : 'abandoned'
  void run.core.write({ events: [draft('step-done', { turn: run.turn().id, name, kind: 'once', outcome: was, value: null })] })
  return { was }
}

/** The answer of a person: {option} or {text}, or the bare text. */
function wordOf(value: Json): string {
  if (typeof value === 'string') return value
  if (!isObject(value)) return ''
  const { option, text } = value
  return typeof option === 'string' ? option : typeof text === 'string' ? text : ''
}
