// Every sentence of the page, in one place (UI guide, section 7): what happened, then what to do; no codes, no jargon.

import type { Notice } from '../../src/protocol/view.ts'

export const words = {
  name: 'Steward',
  skip: 'Skip to the conversation',
  conversations: 'Conversations',
  conversation: 'Conversation',
  home: 'Home',
  you: 'You',
  newConversation: 'New conversation',
  openList: 'Show conversations',
  closeList: 'Hide conversations',
  needsYou: 'Needs you',
  working: 'Working',
  earlier: 'Earlier',
  pinned: 'Pinned',
  noConversations: 'They appear here once you start one.',
  signOut: 'Sign out',
  untitled: 'New conversation',
  ready: 'Steward is ready.',
  readyMore: 'Write what you want to know. In a project, the files of its folders can be read for the answer.',
  where: 'Where',
  copy: 'Copy',
  copyCode: 'Copy this code',
  code: 'Code',
  table: 'Table',
  edit: 'Edit and send again',
  retry: 'Try again',
  earlierVersion: 'Earlier version',
  laterVersion: 'Later version',
  versionOf: (at: number, of: number) => `${at} of ${of}`,
  message: (name: string) => `Message ${name}`,
  answerPlaceholder: (options: number) => (options > 1 ? `Type another answer, or a number from 1 to ${options}` : 'Type your answer'),
  send: 'Send',
  sendLater: 'Send when the hub is back',
  queue: 'Messages that wait, in their order',
  stop: 'Stop',
  stopping: 'Stopping…',
  pause: 'Pause',
  resume: 'Go on',
  now: 'Now',
  next: 'Next',
  whenGroup: 'When it is seen',
  nowHint: 'Seen at the next safe point. Nothing is thrown away.',
  nextHint: 'After this answer.',
  editing: 'You are changing an earlier message. What came after it stays as another version.',
  cancel: 'Cancel',
  remove: 'Remove',
  sendAnyway: 'Send anyway',
  moreBelow: 'More below',
  answers: (name: string, text: string) => `Answers ${name}: ${text}`,
  talkInstead: 'Write something else instead of an answer',
  needsAnswer: (name: string) => `${name} needs an answer`,
  untilAnswered: 'Open until you answer',
  until: (when: string) => `Until ${when}. No answer means no.`,
  orType: 'Or type another answer below.',
  typeBelow: 'Type your answer below.',
  youChose: (text: string) => `You answered: ${text}`,
  writing: (seconds: string) => `writing · ${seconds}`,
  continuedAt: (when: string) => `continued after a restart at ${when}`,
  stillWaiting: (time: string) => `Still waiting for the model · ${time}`,
  workingSteps: (count: number) => (count === 1 ? 'Working · 1 step' : `Working · ${count} steps`),
  saved: 'Saved here. Goes out when the hub is back',
  sending: 'Sending',
  notSent: (why: string) => `Not sent: ${why}`,
  seenBy: (name: string, when: string) => `Seen by ${name} ${when}`,
  seenOnly: (name: string) => `Seen by ${name}`,
  loading: 'Reading the conversation',
  loadingLong: 'This takes longer than usual. Nothing is lost.',
  unreachable: 'The hub is not reachable.',
  unreachableMore: 'You can read and write; messages wait here.',
  unable: 'The hub can’t take messages now.',
  unableMore: (why: string) => `It says: ${why} Messages wait here and go out by themselves.`,
  nextTry: (seconds: number) => `Next try in ${seconds} s.`,
  tryingNow: 'Trying again.',
  tryNow: 'Try now',
  notLasting: 'This browser keeps nothing for this page. Messages that wait here are lost when you close it.',
  loadFailed: 'This conversation could not be read.',
  loadFailedMore: (why: string) => `${why} Nothing was changed.`,
  signedOut: 'You are signed out.',
  signedOutMore: 'Run this command on the machine where the hub runs, and open the address that it prints:',
  signedOutKept: 'What you wrote is kept in this browser.',
  signInCommand: 'npx steward start',
  codeUsed: 'That address was used before or is too old.',
  needHub: 'This needs the hub, and it is not reachable now.',
  suspended: 'This conversation rests.',
  suspendedMore: 'It goes on when you write.',
  closed: 'This conversation is closed.',
  closedMore: 'You can read it. Start a new one to go on.',
  connectionLost: 'The hub is not reachable. Messages wait here.',
  connectionBack: 'The hub is back.',
  announceWriting: (name: string) => `${name} is writing`,
  announceAnswered: (name: string, text: string) => `${name} answered. ${text}`,
  announceAsks: (name: string, text: string) => `${name} asks: ${text}`,
  inbox: 'Inbox',
  needYou: (count: number) => (count === 1 ? '1 needs you' : `${count} need you`),
  inboxEmpty: 'Nothing needs you.',
  needsYes: (name: string) => `${name} needs your yes`,
  needsYourYes: 'Needs your yes',
  needsChoice: 'Asks you to choose',
  needsWords: 'Asks you',
  needsOrder: 'Asks for an order',
  result: 'Result',
  update: 'Update',
  what: 'What',
  why: 'Why',
  effect: 'Effect',
  instead: 'Instead',
  risk: 'Risk',
  preview: 'Exactly this',
  added: 'added',
  removed: 'removed',
  holdsFor: 'Your yes holds for',
  allow: 'Allow',
  allowOnce: 'Allow once',
  allowFor: (scope: string) => `Allow for ${scope}`,
  deny: 'Deny',
  accept: 'Accept',
  reject: 'Reject',
  answer: 'Answer',
  yourAnswer: 'Your answer',
  openConversation: 'Open conversation',
  dismiss: 'Dismiss',
  archive: 'Archive',
  deciding: 'Sending',
  silence: 'No answer means no. You approve exactly this.',
  untilLeft: (when: string, left: string) => (left === '' ? `Until ${when}` : `Until ${when} · ${left} left`),
  whyThis: 'Why',
  stepsAndCost: 'Steps and cost',
  withWorkers: (cost: string) => `with all that came of the request: ${cost}`,
  steps: (count: number) => (count === 1 ? '1 step' : `${count} steps`),
  because: (who: string) => `Because of ${who}`,
  modeLabel: 'How much may be done without asking you',
  modes: { 'read-only': 'Only reads', ask: 'Asks before risk', auto: 'Works on its own' },
  announceNeedsYes: (text: string) => `Needs your yes: ${text}`,
  announceNotSent: 'Not sent',
  announceFailed: 'Failed',
} as const

/** What a waiting line waits behind. `ahead`: lines that go before it. */
export function waits(ahead: number, running: string | null): string {
  const place = ahead === 0 ? 'first in line' : ahead === 1 ? '1 message goes first' : `${ahead} messages go first`
  return running === null ? `Waiting, ${place}` : `Waiting, ${place}, while ${running} works`
}

/** What `stateOf` gives when nothing is going on. */
export const atRest = { word: 'Ready', icon: 'done', kind: '' } as const

/** The word for a process' or session's state, with its icon and colour (UI guide, section 5). */
export function stateOf(status: string, asks: boolean): { readonly word: string; readonly icon: StateIcon; readonly kind: string } {
  if (asks) return { word: 'Asks you', icon: 'ask', kind: 'is-attn' }
  const states: Readonly<Record<string, { word: string; icon: StateIcon; kind: string }>> = {
    RUNNING: { word: 'Working', icon: 'working', kind: 'is-accent' },
    BLOCKED: { word: 'Waits', icon: 'waits', kind: '' },
    PAUSED: { word: 'Paused', icon: 'paused', kind: '' },
    SUSPENDED: { word: 'Rests', icon: 'paused', kind: '' },
    CLOSED: { word: 'Closed', icon: 'done', kind: '' },
  }
  return states[status] ?? atRest
}
export type StateIcon = 'ask' | 'working' | 'waits' | 'paused' | 'done'

/** A notice in words. `name`: whose turn it was. */
export function noticeWords(notice: Notice, name: string): { readonly head: string; readonly more: string } {
  switch (notice.kind) {
    case 'failed':
      return { head: `${name} stopped: ${sentence(notice.text || 'something inside it failed')}`, more: 'What was said is kept.' }
    case 'unknown':
      return { head: `It is not known whether this happened: ${notice.text}.`, more: 'Look before you ask for it again.' }
    case 'held':
      return { head: 'Something was kept and not run.', more: sentence(notice.text) }
    case 'refused':
      return { head: `Not taken up: ${notice.text}`, more: refusals[notice.detail] ?? '' }
    case 'answered':
      return { head: notice.text, more: words.youChose(notice.detail) }
    case 'withdrawn':
      return { head: notice.text, more: 'No answer came in time.' }
    case 'allowed':
      return { head: notice.text, more: allowedWords(notice.detail) }
    case 'denied':
      return { head: notice.text, more: notice.detail === '' ? 'You said no.' : `You said no: ${notice.detail}` }
    case 'quarantined':
      return { head: `${name} can't go on until somebody has looked at the hub.`, more: 'Messages are kept. Run: npx steward doctor' }
    case 'closed':
      return { head: words.closed, more: words.closedMore }
  }
}

const scopes: Readonly<Record<string, string>> = {
  once: 'this one time',
  step: 'this step',
  run: 'this task',
  project: 'this project',
  always: 'always, everywhere',
}

/** For how long a yes holds. */
export function scopeWords(scope: string): string {
  return scopes[scope] ?? scope
}

function allowedWords(scope: string): string {
  return scope === '' ? 'You allowed it.' : `You allowed it for ${scopeWords(scope)}.`
}

/** '23 h', '12 min'; '' when the time is over or no time. */
export function leftUntil(at: string, now: number): string {
  const minutes = Math.floor((Date.parse(at) - now) / 60_000)
  if (Number.isNaN(minutes) || minutes < 0) return ''
  if (minutes < 1) return 'less than 1 min'
  if (minutes < 120) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}

/** '0.012 USD'; what has no price says so. `micros`: millionths. */
export function costWords(cost: {
  readonly micros: number
  readonly currency: string
  readonly calls: number
  readonly unpriced: number
}): string {
  if (cost.calls === 0) return ''
  if (cost.micros === 0 && cost.unpriced > 0) return 'no price known'
  const amount = cost.micros / 1_000_000
  return `${cost.micros === 0 ? 'free' : `${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)} ${cost.currency}`}`
}

const refusals: Readonly<Record<string, string>> = {
  too_late: 'It came after the turn was over.',
  closed: 'This conversation is closed.',
  cannot_continue: 'It can’t be continued after the update. Send it again.',
}

export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** '9:12' of today, or the day with it. */
export function clockTime(at: string, now: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const isToday = date.toDateString() === new Date(now).toDateString()
  return isToday ? time : `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`
}

/** 'now', '3 min', '2 h', then a date. */
export function age(at: string, now: number): string {
  const minutes = Math.floor((now - new Date(at).getTime()) / 60_000)
  if (Number.isNaN(minutes)) return ''
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' })
}

/** '6 s', '2 min 14 s'. */
export function lasted(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** An agent's name as a person reads it. */
export function nameOf(agent: string | null | undefined): string {
  if (!agent) return words.name
  if (agent === 'hub') return 'Eddie'
  return `${agent.charAt(0).toUpperCase()}${agent.slice(1)}`
}
