// The commands of `steward chat`: what begins with a slash. Owns their names and what they do; leaves keys and screen to chat.ts.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { sessions } from '../protocol/api.ts'
import { approval } from '../protocol/api-approvals.ts'
import { summaries, summary } from '../protocol/api-context.ts'
import { turnView } from '../protocol/api-turns.ts'
import { branch } from '../protocol/branch.ts'
import { routedLine } from '../protocol/routed.ts'
import { type Session, session } from '../protocol/shapes.ts'
import type { View } from '../protocol/view.ts'
import { attachmentLimits } from '../scopes/attachments/attachments.ts'
import { userOfHome } from '../scopes/names.ts'
import { approvalNamed } from './approvals.ts'
import { attach } from './attach.ts'
import type { Decided } from './chat-answer.ts'
import { askedText } from './chat-screen.ts'
import type { Talk } from './chat-talk.ts'
import { findHub, HubRefused } from './hub.ts'
import { listInbox } from './inbox.ts'
import { type Call, oneLine } from './output.ts'
import { routeText } from './route-text.ts'
import { setMode } from './sessions.ts'
import { costLine, turnText } from './turn.ts'

/** Where a command is given. */
export type Desk = {
  readonly talk: Talk
  readonly call: Call
  /** Approvals that were decided here: nobody need wait until the journal says so too. */
  readonly decided: Set<string>
  readonly look: () => { readonly now: number; readonly colours: boolean }
  /** A sentence beside the conversation; `isSafe`: it holds no control characters of others. */
  readonly aside: (sentence: string, isSafe?: 'safe') => void
}

/** So many are named by /steps, the newest first. */
const mostWorkers = 8

export type Next = 'go on' | 'end'
type Command = { readonly what: string; readonly run: (desk: Desk, rest: string) => Promise<unknown> }

const commands: Readonly<Record<string, Command>> = {
  '/hub': { what: 'go to the hub, in your home', run: goHome },
  '/new': { what: 'begin a new conversation with the hub, or with: /new AGENT', run: begin },
  '/stop': { what: 'stop what runs now', run: stop },
  '/say': { what: 'say something while a question is open: /say TEXT', run: sayMore },
  '/allow': { what: 'say yes to what waits: /allow [ID] [once|step|run|project|always]', run: allow },
  '/deny': { what: 'say no to what waits: /deny [ID] [REASON]', run: deny },
  '/attach': { what: 'send a file along with your next line: /attach FILE', run: attachFile },
  '/approvals': { what: 'show in full what waits for your yes', run: showApprovals },
  '/inbox': { what: 'show what needs you, from everywhere', run: showInbox },
  '/cost': { what: 'what the newest turn has cost, and all that came of the same request', run: showCost },
  '/steps': { what: 'what the newest turn did, step by step, and where the steps of workers are', run: showSteps },
  '/route': { what: 'who got your newest message, and why', run: showRoute },
  '/mode': { what: 'how much may be done without asking: /mode [read-only|ask|auto|default]', run: mode },
  '/compact': { what: 'shorten the conversation for the model: /compact [keep: WHAT]', run: compact },
  '/undo-compact': { what: 'give the model the lines word by word again', run: undoCompact },
  '/help': { what: 'show this', run: help },
  '/quit': { what: 'end the chat', run: async () => 'end' },
}

/** Throws HubRefused for a command that is none, and what the hub refuses. */
export async function command(desk: Desk, line: string): Promise<Next> {
  const [name = '', ...words] = line.split(/\s+/)
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!found)
    throw wrong(
      `There is no ${oneLine(name, 40)}; there are ${Object.keys(commands).join(', ')}. Two slashes send a line that begins with one.`,
    )
  return (await found.run(desk, words.join(' '))) === 'end' ? 'end' : 'go on'
}

/** Decides it over the hub's own way; whatever comes of it, what waits is looked at again when it was refused. */
export async function decide(desk: Desk, id: string, decided: Decided): Promise<void> {
  const hub = await findHub(desk.call)
  try {
    await hub.call('POST', `/api/approvals/${encodeURIComponent(id)}`, approval, { body: withoutEmpty(decided) })
    desk.decided.add(id)
  } catch (error) {
    if (error instanceof HubRefused && (error.status === 409 || error.status === 410)) await desk.talk.lookForAsks()
    throw error
  }
}

function withoutEmpty(decided: Decided): object {
  return Object.fromEntries(Object.entries(decided).filter(([, value]) => value !== undefined && value !== ''))
}

async function allow(desk: Desk, rest: string): Promise<void> {
  const words = rest.split(/\s+/).filter((word) => word !== '')
  const scope = words.find((word) => scopeNames.has(word.toLowerCase()))
  const others = words.filter((word) => word !== scope)
  if (others.length > 1) throw wrong('/allow takes an id and a scope, no more: /allow [ID] [once|step|run|project|always]')
  await decide(desk, await whichOne(desk, others[0]), { decision: 'allow', ...(scope === undefined ? {} : { scope: scope.toLowerCase() }) })
}

async function deny(desk: Desk, rest: string): Promise<void> {
  const [first = '', ...words] = rest.split(/\s+/)
  const isNamed =
    first.startsWith('apr_') || (first.length >= 4 && open(desk).some(({ id }) => id.toLowerCase().endsWith(first.toLowerCase())))
  const reason = (isNamed ? words.join(' ') : rest).trim()
  await decide(desk, await whichOne(desk, isNamed ? first : undefined), { decision: 'deny', ...(reason === '' ? {} : { reason }) })
}

const scopeNames: ReadonlySet<string> = new Set(['once', 'step', 'run', 'project', 'always'])

/** Without an id it must be clear which one is meant. */
async function whichOne(desk: Desk, part: string | undefined): Promise<string> {
  if (part !== undefined) return (await approvalNamed(await findHub(desk.call), part)).id
  const [one, ...others] = open(desk)
  if (!one) throw wrong('Nothing waits for your yes here. /inbox shows what waits elsewhere.')
  if (others.length === 0) return one.id
  throw wrong(
    `${others.length + 1} things wait; name one of ${[one, ...others].map(({ id }) => id).join(', ')}; its last four characters are enough.`,
  )
}

function open({ talk, decided }: Desk) {
  return talk.view.approvals.filter((one) => !decided.has(one.id))
}

async function showApprovals(desk: Desk): Promise<void> {
  const waiting = open(desk)
  const text = waiting.map((one) => askedText(one, { ...desk.look(), lines: undefined })).join('\n')
  desk.aside(waiting.length === 0 ? 'Nothing waits for your yes here.' : text.trimEnd(), 'safe')
}

async function showInbox({ call, aside }: Desk): Promise<void> {
  aside((await listInbox(call, {})).text)
}

async function showCost(desk: Desk): Promise<void> {
  desk.aside(costLine(await newestTurn(desk)))
}

async function showSteps(desk: Desk): Promise<void> {
  const [turn, elsewhere] = await Promise.all([newestTurn(desk), workerLines(desk)])
  desk.aside([turnText(turn, { now: desk.look().now, full: false }), ...elsewhere].join('\n'))
}

async function showRoute(desk: Desk): Promise<void> {
  const newest = desk.talk.view.routes.at(-1)
  if (!newest) throw wrong('No message of this conversation has a route yet.')
  const { routes } = await (await findHub(desk.call)).call('GET', `/api/turns/${encodeURIComponent(newest.turn)}`, turnView)
  const whole = routes.find(({ message }) => message === newest.message) ?? routes.at(-1)
  desk.aside([routedLine(newest), ...(whole ? ['', routeText(whole.route)] : newest.reasons)].join('\n'))
}

/** Where the steps of those stand that were ordered from here. */
async function workerLines({ call, talk }: Desk): Promise<readonly string[]> {
  if (talk.workers.size === 0) return []
  const hub = await findHub(call)
  const newest = [...talk.workers].slice(-mostWorkers).toReversed()
  const lines = await Promise.all(newest.map((id) => hub.call('GET', pathOf(id), session).then(workerLine, () => notShown(id))))
  return ['', 'Ordered from here, with steps of their own:', ...lines]
}

function workerLine({ id, title, agent, project, processStatus }: Session): string {
  return `  ${oneLine(title || project, 60)} (${agent} in ${project}, ${processStatus}): steward sessions turns ${id}`
}

/** One that can't be read hides none of the others. */
function notShown(id: string): string {
  return `  ${id}: it can't be read now`
}

async function newestTurn({ call, talk }: Desk) {
  const id = talk.view.turn?.id ?? turnsOf(talk.view).at(-1)
  if (id === undefined) throw wrong('No turn ran in this conversation yet.')
  return (await findHub(call)).call('GET', `/api/turns/${encodeURIComponent(id)}`, turnView)
}

function turnsOf(view: View): readonly string[] {
  return branch(view).flatMap(({ line }) => (line.turn === undefined ? [] : [line.turn]))
}

async function mode({ call, talk, aside }: Desk, word: string): Promise<void> {
  const id = talk.view.session
  if (word !== '') return aside((await setMode(call, id, word)).text)
  const found = await (await findHub(call)).call('GET', pathOf(id), session)
  aside(`The mode is ${found.mode ?? 'not known'}. Change it with: /mode read-only, /mode ask, /mode auto`)
}

async function compact({ call, talk, aside }: Desk, rest: string): Promise<void> {
  const keep = rest.replace(/^keep:\s*/i, '').trim()
  const body = keep === '' ? {} : { keep }
  const hub = await findHub(call)
  const { items } = await hub.call('POST', `${pathOf(talk.view.session)}/compact`, summaries, { body, timeoutMs: 300_000 })
  const lines = items.reduce((sum, one) => sum + one.lines, 0)
  aside(`${lines} older lines are now given to the model as a summary. They stay here; /undo-compact takes it back.`)
}

async function undoCompact({ call, talk, aside }: Desk): Promise<void> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', `${pathOf(talk.view.session)}/summaries`, summaries)
  const newest = items.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
  if (!newest) throw wrong('This conversation has no summary to take back.')
  const undone = await hub.call('POST', `${pathOf(talk.view.session)}/summaries/${encodeURIComponent(newest.id)}/undo`, summary)
  aside(`${undone.lines} lines are given to the model word by word again.`)
}

async function begin({ talk, aside }: Desk, agent: string): Promise<void> {
  await talk.enter({ agent: agent || undefined })
  aside('A new conversation.')
}

async function sayMore({ talk }: Desk, text: string): Promise<void> {
  if (text === '') throw wrong('/say needs a text: /say TEXT')
  await talk.say(text)
}

async function stop({ talk, aside }: Desk): Promise<void> {
  const outcome = await talk.stop()
  if (outcome === 'nothing' || outcome === 'too_late') aside('Nothing runs.')
}

async function help({ aside }: Desk): Promise<void> {
  const rows = Object.entries(commands).map(([name, { what }]) => `${name.padEnd(13)} ${what}`)
  aside(rows.join('\n'))
}

/** The newest open conversation in the person's home, one with the hub before others; a new one when there is none. */
/** The whole rest is one path, as names have spaces; `~` is the person's own folder. */
async function attachFile({ talk, call, aside }: Desk, rest: string): Promise<void> {
  const given = rest.trim()
  if (given === '') return aside('Name a file: /attach FILE')
  const { inMessage } = attachmentLimits
  if (talk.attached >= inMessage) return aside(`${inMessage} files wait for your next line already; a message takes no more.`)
  const path = given.startsWith('~/') ? join(homedir(), given.slice(2)) : given
  const sent = await attach(await findHub(call), talk.view.session, [path])
  talk.attach(sent.map(({ id }) => id))
  for (const { name, mime, size } of sent) aside(`${name} (${mime}, ${size} bytes) goes along with your next line.`)
}

async function goHome({ call, talk }: Desk): Promise<void> {
  const { items } = await (await findHub(call)).call('GET', '/api/sessions', sessions, { query: { limit: 100 } })
  const homes = items.filter((one) => userOfHome(one.project) !== null && one.status !== 'CLOSED')
  const atHome = homes.find((one) => one.agent === 'hub') ?? homes[0]
  if (atHome?.id !== talk.view.session || !atHome) await talk.enter(atHome ? { session: atHome.id } : {})
}

function wrong(sentence: string): HubRefused {
  return new HubRefused(400, 'invalid', sentence)
}

function pathOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`
}
