// What becomes of a worker's output on its way to the person: said as it is, put in the model's own words, or laid into the inbox
// (K4). Pure; lengths are characters. The channel's mode decides first: verbatim and inbox leave nothing to weigh.
import { isObject } from '../base/json.ts'
import type { ChannelMode } from './report.ts'

export type TriageDecision = 'VERBATIM' | 'REFORMULATE' | 'INBOX'
export type TriageCriticality = 'LOW' | 'NORMAL' | 'CRITICAL'
export type Triage = {
  readonly decision: TriageDecision
  readonly criticality: TriageCriticality
  /** For INBOX: what is said in its place. */
  readonly spoken: string | null
  /** The first line, short. */
  readonly summary: string
}

export type Output = {
  readonly text: string
  readonly voiceMode?: boolean
  /** VERBATIM or INBOX decide alone; anything else is no hint. */
  readonly hint?: string | null
  readonly worker?: string
  readonly mode?: ChannelMode
}

const limits = { voice: { verbatim: 60, inbox: 400 }, text: { verbatim: 200, inbox: 2_000 } }
const summaryLength = 120

export function triage(output: Output): Triage {
  const { text, worker = 'The worker' } = output
  const [decision, criticality] = decided(output)
  return clamped(
    {
      decision,
      criticality,
      spoken: decision === 'INBOX' ? spokenFor(worker) : null,
      summary: summaryOf(text),
    },
    worker,
  )
}

/** What is critical is never put in other words. */
export function clamped(given: Triage, worker = 'The worker'): Triage {
  if (given.criticality !== 'CRITICAL' || given.decision !== 'REFORMULATE') return given
  return { ...given, decision: 'INBOX', spoken: given.spoken ?? spokenFor(worker) }
}

function decided({ text, voiceMode = false, hint, mode }: Output): readonly [TriageDecision, TriageCriticality] {
  if (mode === 'verbatim') return ['VERBATIM', 'NORMAL']
  if (mode === 'inbox') return ['INBOX', 'NORMAL']
  const word = hint?.trim().toUpperCase()
  if (word === 'VERBATIM' || word === 'INBOX') return [word, 'NORMAL']
  const { verbatim, inbox } = voiceMode ? limits.voice : limits.text
  if (looksStructural(text)) return voiceMode || text.length >= inbox ? ['INBOX', 'NORMAL'] : ['VERBATIM', 'NORMAL']
  if (text.length <= verbatim) return ['VERBATIM', 'LOW']
  return text.length >= inbox ? ['INBOX', 'NORMAL'] : ['REFORMULATE', 'NORMAL']
}

/** Code, a diff, headings, lists, or one JSON value: it loses by being said in other words. */
export function looksStructural(text: string): boolean {
  return text.includes('```') || /^@@ /m.test(text) || /^#{1,6} /m.test(text) || /^(?:[*+-]|\d+\.) /m.test(text) || isJson(text)
}

function isJson(text: string): boolean {
  const trimmed = text.trim()
  if (!/^[[{]/.test(trimmed)) return false
  try {
    const value: unknown = JSON.parse(trimmed)
    return Array.isArray(value) || isObject(value)
  } catch {
    return false
  }
}

function summaryOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  return line.length <= summaryLength ? line : `${line.slice(0, summaryLength).toWellFormed()}…`
}

function spokenFor(worker: string): string {
  return `${worker} has replied: it is in the inbox.`
}
