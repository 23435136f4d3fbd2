// `steward chat`: talking in the terminal, or with lines from a pipe.
// Owns: what a line typed means, when the prompt stands, how it ends. Leaves the connection to chat-talk.ts, drawing to
// chat-screen.ts, commands to chat-commands.ts, what is a yes to chat-answer.ts.
//
// C8  A line is a message, the answer to the oldest open question, or a command; `//` sends a line that begins with `/`.
// C23 A yes or no counts only at the prompt that asks for it, or as /allow and /deny; from a pipe only as these.
// C9  From a pipe the next line waits until the one before it is answered; the end of the pipe ends the chat.
// C10 A lost hub is looked for again; nothing typed is lost or sent twice, nothing shown is shown twice.

import { createInterface, type Interface } from 'node:readline'
import { styleText } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { readRuntime } from '../base/home.ts'
import { sessions } from '../protocol/api.ts'
import { approvals } from '../protocol/api-approvals.ts'
import { isFinal } from '../protocol/message-status.ts'
import { session } from '../protocol/shapes.ts'
import type { OpenApproval, View } from '../protocol/view.ts'
import { userOfHome } from '../scopes/names.ts'
import { askedNext, type Decided, promptFor, readDecision } from './chat-answer.ts'
import { command, type Desk, decide, type Next } from './chat-commands.ts'
import { draw, drawHistory, nothingShown, type Shown } from './chat-screen.ts'
import { openTalk, type Wish } from './chat-talk.ts'
import { findHub, type Hub, HubRefused } from './hub.ts'
import { optionIn } from './option.ts'
import { type Call, type ExitCode, exitCodes, HubUnreachable, hasColours, oneLine, type Result, tell, WrongUsage } from './output.ts'

const historyLines = 20
/** How often a chat from a pipe looks for a lost hub; with the pauses of the link that is half a minute. */
const mostTries = 20

type Chat = Desk & {
  readonly isTerminal: boolean
  readonly json: boolean
  readonly lines: Interface
  /** Lines of a pipe; asked for at once, because what comes before that is lost. */
  readonly piped: AsyncIterable<string> | null
  readonly home: string
  shown: Shown
  /** What the present prompt asks about: nothing was typed when it came. */
  asked: OpenApproval | null
  /** The progress that was shown last. */
  doing: string
  /** The prompt is the last thing on the screen, with what is typed so far behind it. */
  isPrompted: boolean
  /** Called after every change of the view; the one who waits for something looks again. */
  wake: () => void
  lost: Error | null
  /** Nothing is shown any more. */
  isOver: boolean
}

export async function chat(call: Call, wish: Wish): Promise<Result> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  if (call.json && isTerminal)
    throw new WrongUsage('--json is one value at the end, and a person at a terminal wants words: leave out --json or pipe the lines in.')
  const hub = await findHub(call)
  await hub.call('GET', '/api/sessions', sessions, { query: { limit: 1 } })
  const one = open(call, hub, isTerminal)
  try {
    if (isTerminal) tell('Type to talk; /help shows the commands, Ctrl-D ends.')
    await one.talk.enter(wish)
    const code = isTerminal ? await fromKeyboard(one) : await fromPipe(one)
    return { value: { session: one.talk.view.session, messages: [...one.talk.view.messages.values()] }, text: '', code }
  } finally {
    one.isOver = true
    one.lines.close()
    one.talk.close()
  }
}

function open(call: Call, hub: Hub, isTerminal: boolean): Chat {
  const { home } = hub
  const output = isTerminal ? process.stdout : undefined
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal, prompt: '> ' })
  const piped = isTerminal ? null : pipeOf(lines)
  // What is typed before the prompt stands waits for it.
  if (isTerminal) lines.pause()
  const colours = isTerminal && hasColours(process.stdout)
  const one: Chat = {
    call,
    decided: new Set(),
    look: () => ({ now: systemClock.now(), colours }),
    aside: (sentence, isSafe) => aside(one, sentence, isSafe),
    asked: null,
    doing: '',
    isTerminal,
    json: call.json,
    home,
    lines,
    piped,
    shown: nothingShown,
    isPrompted: false,
    wake: () => {},
    lost: null,
    isOver: false,
    talk: openTalk({
      socketPath: () => readRuntime(home)?.socket ?? null,
      newest: (id) => newestOf(hub, id),
      asks: (id) => asksOf(call, id),
      onProgress: (words) => progress(one, words),
      onView: (view) => show(one, view),
      onEntered: (view) => showHistory(one, view),
      onBack: () => aside(one, 'The hub is back.'),
      onLost: (tries) => lost(one, tries),
    }),
  }
  return one
}

function pipeOf(lines: Interface): AsyncIterable<string> {
  const iterator = lines[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => iterator }
}

async function newestOf(hub: Hub, id: string): Promise<string | null> {
  const { lastMessage } = await hub.call('GET', `/api/sessions/${encodeURIComponent(id)}`, session)
  return lastMessage?.cursor ?? null
}

/** Whether the session is in the person's home, and all that waits for a yes. */
async function asksOf(call: Call, id: string) {
  const hub = await findHub(call)
  const [{ project }, { items }] = await Promise.all([
    hub.call('GET', `/api/sessions/${encodeURIComponent(id)}`, session),
    hub.call('GET', '/api/approvals', approvals, { query: { status: 'requested' } }),
  ])
  return { isHome: userOfHome(project) !== null, waiting: items }
}

function show(one: Chat, view: View): void {
  if (one.isOver) return
  const drawn = draw(one.shown, view, { ...one.look(), own: one.talk.own })
  one.shown = drawn.shown
  put(one, drawn.text)
  const isAsked = view.questions.length > 0 || view.approvals.length > 0
  if ((view.turn === null || isAsked) && !one.isPrompted) promptAgain(one)
  one.wake()
}

function showHistory(one: Chat, view: View): void {
  const history = drawHistory(view, one.isTerminal ? historyLines : 0)
  one.shown = history.shown
  put(one, history.text)
  show(one, view)
}

function lost(one: Chat, tries: number): void {
  if (tries === 1) aside(one, 'The hub went away; looking for it again.')
  if (one.isTerminal || tries < mostTries) return
  one.lost = new HubUnreachable(one.home)
  one.wake()
}

/** What comes in goes where the prompt stands; the prompt, and what is typed so far, come again below it. */
function put(one: Chat, text: string): void {
  if (text === '' || one.json) return
  clearPrompt(one)
  process.stdout.write(text)
}

/** What is done now, in one small line; from a pipe only what is said counts. The same twice in a row is told once. */
function progress(one: Chat, words: string): void {
  const line = oneLine(words, 100)
  if (!one.isTerminal || one.isOver || one.shown.writing !== null || line === '' || line === one.doing) return
  const isBack = one.isPrompted
  one.doing = line
  put(one, `${one.look().colours ? styleText('dim', `· ${line}`) : `· ${line}`}\n`)
  if (isBack) promptAgain(one)
}

/** A sentence beside the conversation. */
function aside(one: Chat, sentence: string, isSafe?: 'safe'): void {
  if (one.isOver) return
  const isBack = one.isPrompted
  endLine(one)
  clearPrompt(one)
  if (isSafe) process.stderr.write(`${sentence}\n`)
  else tell(sentence)
  if (isBack) promptAgain(one)
}

function clearPrompt(one: Chat): void {
  if (one.isPrompted) process.stdout.write('\r\u001b[K')
  one.isPrompted = false
}

/** Words of an answer that is being written stand in the last line: what is told beside it begins a new one. */
function endLine(one: Chat): void {
  if (one.isTerminal && !one.isPrompted && one.shown.writing !== null) process.stdout.write('\n')
}

function promptAgain(one: Chat): void {
  if (!one.isTerminal || one.isOver || one.shown.writing !== null) return
  // What is typed already was not meant for what is asked now.
  if (one.lines.line === '') one.asked = askedNext(one.talk.view)
  one.lines.setPrompt(promptFor(one.asked, one.talk.view))
  one.lines.prompt(true)
  one.isPrompted = true
}

// ---- a person at the keyboard

function fromKeyboard(one: Chat): Promise<ExitCode> {
  return new Promise((resolve) => {
    one.lines.on('line', (line) => {
      one.isPrompted = false
      const { asked } = one
      one.asked = null
      void act(one, line, asked).then((next) => (next === 'end' ? one.lines.close() : promptAgain(one)))
    })
    one.lines.on('SIGINT', () => interrupted(one))
    one.lines.on('close', () => {
      one.isOver = true
      resolve(exitCodes.done)
    })
    promptAgain(one)
  })
}

/** Ctrl-C stops what runs, clears what is typed, and ends the chat when there is neither. */
function interrupted(one: Chat): void {
  if (one.talk.view.turn !== null) command(one, '/stop').catch((error: unknown) => aside(one, messageOf(error)))
  else if (one.lines.line === '') one.lines.close()
  else {
    one.lines.write(null, { ctrl: true, name: 'e' })
    one.lines.write(null, { ctrl: true, name: 'u' })
    promptAgain(one)
  }
}

// ---- lines from a pipe

async function fromPipe(one: Chat): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done
  for await (const line of one.piped ?? []) {
    if (line.trim() === '') continue
    if ((await act(one, line, null)) === 'end') return code
    code = await rest(one)
  }
  return code
}

/** Until nothing that was said here is under way, or a person is asked. */
async function rest(one: Chat): Promise<ExitCode> {
  for (;;) {
    const { view, own } = one.talk
    if (one.lost) throw one.lost
    const mine = [...view.messages.values()].filter((line) => own.has(line.clientId ?? ''))
    const known = new Set(mine.map((line) => line.clientId))
    const isOver = [...own].every((id) => known.has(id)) && mine.every((line) => isFinal(line.status))
    if (view.questions.length > 0 || waitsForYes(one)) return exitCodes.waiting
    if (isOver) return mine.at(-1)?.status === 'failed' ? exitCodes.failed : exitCodes.done
    await new Promise<void>((resolve) => {
      one.wake = resolve
    })
  }
}

/** The turn that runs here waits; what waits elsewhere holds up nothing. */
function waitsForYes({ talk: { view }, decided }: Chat): boolean {
  return view.approvals.some((asked) => asked.turn === view.turn?.id && !decided.has(asked.id))
}

// ---- what a line means

/** `asked`: what the prompt asked about when the line was typed; a yes or no is one only there. */
async function act(one: Chat, line: string, asked: OpenApproval | null): Promise<Next> {
  try {
    const decided = asked && readDecision(line, asked.scopes)
    if (asked && decided) return await answerTo(one, asked, decided)
    return await understand(one, line.trim())
  } catch (error) {
    aside(one, messageOf(error))
    if (!one.isTerminal && !(error instanceof HubRefused || error instanceof WrongUsage)) throw error
    return 'go on'
  }
}

async function answerTo(one: Chat, asked: OpenApproval, decided: Decided): Promise<Next> {
  if (one.talk.view.approvals.some((open) => open.id === asked.id)) await decide(one, asked.id, decided)
  else aside(one, 'That is no longer asked: it was decided, or what asked for it is over.')
  return 'go on'
}

async function understand(one: Chat, line: string): Promise<Next> {
  if (line === '') return 'go on'
  if (line.startsWith('/') && !line.startsWith('//')) return command(one, line)
  const text = line.startsWith('//') ? line.slice(1) : line
  const asked = one.talk.view.questions[0]
  if (!asked) await one.talk.say(text)
  else {
    const option = optionIn(asked.options, text)
    await one.talk.answer(asked.id, option ? { option: option.label } : { text })
  }
  return 'go on'
}
