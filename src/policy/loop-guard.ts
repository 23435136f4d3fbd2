// The loop guard: the same call that brings the same result again and again is a loop (D12). Pure: an engine folds what happened, and
// gets the same verdicts on replay.
//
// "The same" sees through small changes: order of keys, white space, letter case, the numbers and words of another try, times and ids
// in arguments and results. Calls in between don't hide it, so that A, B, A, B is seen as well. A result that really changes is
// progress, and so is a new change of something (`changes`): then counting starts anew.

import { sha256 } from '../base/hash.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'

/** Of the same call with the same result. */
export const loopLimits = { warn: 3, block: 5, end: 8 } as const
/** So many calls are remembered: loops of up to eight calls in turn are found. */
const window = 64
const mostArgument = 400
/** Whether a text only says "once more" at its end is looked at up to this length: the search is not linear. */
const mostProse = 2_000

export type LoopCall = {
  readonly tool: string
  readonly input: JsonObject
  /** It changes something (a tool that is not replayable). Default: it only looks. */
  readonly changes?: boolean
}

type Seen = { readonly tool: string; readonly argument: string; readonly result: string }

/** JSON, so that it can be kept. */
export type LoopState = {
  readonly seen: readonly Seen[]
  /** Attempts that were blocked, by the call. */
  readonly blocked: readonly Omit<Seen, 'result'>[]
  /** Of the changing calls of the window: hashes. */
  readonly changed: readonly string[]
}
export const noLoops: LoopState = { seen: [], blocked: [], changed: [] }

export type LoopVerdict =
  | { readonly effect: 'go' }
  /** Run it, and give the model this text with the result. */
  | { readonly effect: 'warn'; readonly text: string }
  /** Don't run it; this text is the result. */
  | { readonly effect: 'block'; readonly text: string }
  /** Don't run it and end the run; `text` is the summary for the person. */
  | { readonly effect: 'end'; readonly text: string }

/** Before a call runs: how often it has been made with the same result, this one included. */
export function judgeLoop(state: LoopState, call: LoopCall): LoopVerdict {
  const argument = argumentOf(call.input)
  const attempt = repeats(state, call.tool, argument) + blockedTimes(state, call.tool, argument) + 1
  const often = `${call.tool} was asked for ${attempt} times with the same arguments`
  if (attempt >= loopLimits.end) {
    return {
      effect: 'end',
      text: `Stopped, since it went round in a circle: ${often} (${shown(call.input)}), and each time with the same result. ${around(state)}`,
    }
  }
  if (attempt >= loopLimits.block) {
    return { effect: 'block', text: `Not run: ${often}, and the result was the same each time. Do something else, or say what is missing.` }
  }
  if (attempt < loopLimits.warn) return { effect: 'go' }
  return { effect: 'warn', text: `Note: ${often}. If the result is the same again, it will not change by asking again.` }
}

/** After a call: its result, or null when it was blocked. */
export function seenLoop(state: LoopState, call: LoopCall, result: string | null): LoopState {
  const argument = argumentOf(call.input)
  if (result === null) return { ...state, blocked: [...state.blocked, { tool: call.tool, argument }].slice(-window) }
  const entry = { tool: call.tool, argument, result: sha256(plainResult(result)) }
  const mark = sha256(`${call.tool} ${argument}`)
  if (call.changes !== true || state.changed.includes(mark)) return { ...state, seen: [...state.seen, entry].slice(-window) }
  // Something new was done: what is asked again after it may well have another answer.
  return { seen: [entry], blocked: [], changed: [...state.changed, mark].slice(-window) }
}

/** The streak of this call's latest result. */
function repeats({ seen }: LoopState, tool: string, argument: string): number {
  const same = seen.filter((one) => one.tool === tool && isSame(one.argument, argument))
  const last = same.at(-1)
  if (last === undefined) return 0
  const other = same.findLastIndex((one) => one.result !== last.result)
  return same.length - 1 - other
}

function blockedTimes({ blocked }: LoopState, tool: string, argument: string): number {
  return blocked.filter((one) => one.tool === tool && isSame(one.argument, argument)).length
}

function around({ seen }: LoopState): string {
  const tools = [...new Set(seen.slice(-8).map(({ tool }) => tool))].sort()
  return `The last calls were of ${tools.join(', ') || 'nothing'}. What was found so far stands above; tell me how to go on.`
}

function shown(input: JsonObject): string {
  const text = JSON.stringify(input)
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}...` : text
}

// ---- what is the same

/** Equal, or plain words of which one only goes on a little: "list all open files" and "list all open files today". */
function isSame(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [one.split('\u0001'), other.split('\u0001')]
  return a.length === b.length && a.every((part, at) => isSameText(part, b[at] ?? ''))
}

function isSameText(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [one.split(' '), other.split(' ')]
  if (![...a, ...b].every((word) => /^[\p{L}'’]+$/u.test(word))) return false
  let common = 0
  while (common < a.length && common < b.length && a[common] === b[common]) common++
  return common >= 3 && common * 3 >= Math.max(a.length, b.length) * 2
}

/** Keys in order, values plain; keys that only number the attempt are left out. */
function argumentOf(input: JsonObject): string {
  const parts: string[] = []
  const add = (path: string, value: Json | undefined): void => {
    if (value === null || value === undefined || value === '') return
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) parts.push(`${path}=`, plainText(value.join(' ')))
    else if (Array.isArray(value)) for (const [at, one] of value.entries()) add(`${path}.${at}`, one)
    else if (isObject(value))
      for (const key of Object.keys(value).sort()) addMember(`${path}.${plainKey(key)}`, key, Reflect.get(value, key))
    else parts.push(`${path}=`, typeof value === 'string' ? plainText(value) : String(value))
  }
  const addMember = (path: string, key: string, value: Json | undefined) => {
    if (
      !/^(attempt|try|tries|retry|retries|count(er)?|iteration|seq(uence)?|nonce|time(stamp)?|now|(request|call|trace|correlation)_?id|reason|comment|note)$/i.test(
        key,
      )
    ) {
      add(path, value)
    }
  }
  add('', input)
  const text = parts.join('\u0001')
  return text.length > mostArgument ? `${text.slice(0, mostArgument)} ${sha256(text)}` : text
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/g, '')
}

const again =
  /[\s,.;:!?()#-]*\b(again|please|now|once( more)?|one more time|retry|try|attempt|time|thanks|thank you|ok(ay)?|really|just|quickly|bitte|nochmal|noch einmal|jetzt|wieder|(number |no\.? ?|#)?\d{1,3}(st|nd|rd|th)?)[\s,.;:!?()#-]*$/iu

/** One case, one space, `/` and no `./`, without what only says "once more". Numbers that mean something stay. */
function plainText(text: string): string {
  const even = withoutMoments(text.normalize('NFKC').toLowerCase())
    .replaceAll('\\', '/')
    .replaceAll(/(^|\s)\.\//g, '$1')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (even.length > mostProse) return even
  let plain = even.replace(/[\s.!?,;]+$/u, '').replace(/(?<=\w)\/$/, '')
  // A command or a path keeps its end: `page 2` is a page, but `list the files 2` is a second try.
  while (plain.includes(' ') && isProse(plain) && again.test(plain)) plain = plain.replace(again, '')
  return plain
}

/** Words of a person: no options, no paths, no signs. */
function isProse(text: string): boolean {
  return (
    /^[\p{L}\p{N}\s,.;:!?'’"()#-]+$/u.test(text) &&
    !/(^|\s)--?\w/.test(text) &&
    !/\b(page|line|lines|offset|from|to|id|issue|chapter|part|version|step) #?\d+$/u.test(text)
  )
}

function plainResult(text: string): string {
  return withoutMoments(text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' '))
    .replaceAll(/\b(attempt|try|retry|request|call|iteration|run|seq|count(er)?|pid|no\.?)(\s*[:=#]?\s*)#?\d+/g, '$1')
    .trim()
}

/** Times, durations and ids: they differ each time and say nothing new. */
function withoutMoments(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d([t ]\d\d:\d\d(:\d\d)?([.,]\d+)?(z|[+-]\d\d:?\d\d)?)?/g, '<time>')
    .replaceAll(/\b\d{1,2}:\d\d(:\d\d)?([.,]\d+)?\b/g, '<time>')
    .replaceAll(/\b1[5-9]\d{8}(\d{3})?\b/g, '<time>')
    .replaceAll(/\b\d+([.,]\d+)?\s?(ms|µs|us|ns|s|sec|secs|seconds?|milliseconds?|minutes?)\b/g, '<span>')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
    .replaceAll(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, '<id>')
    .replaceAll(/\b0x[0-9a-f]{6,}\b/g, '<id>')
}
