// `steward chat`: talking in the terminal, or with lines from a pipe.
// Owns: what a line typed means, when the prompt stands, how it ends. Leaves the connection to chat-talk.ts, drawing to chat-screen.ts.
//
// C8  A line is a message, the answer to the oldest open question, or a command; `//` sends a line that begins with `/`.
// C9  From a pipe the next line waits until the one before it is answered; the end of the pipe ends the chat.
// C10 A lost hub is looked for again; nothing typed is lost or sent twice, nothing shown is shown twice.

import { createInterface, type Interface } from 'node:readline'
import { messageOf } from '../base/errors.ts'
import { readRuntime } from '../base/home.ts'
import { sessions } from '../protocol/api.ts'
import { isFinal } from '../protocol/message-status.ts'
import { session } from '../protocol/shapes.ts'
import type { OpenQuestion, View } from '../protocol/view.ts'
import { userOfHome } from '../scopes/names.ts'
import { draw, drawHistory, nothingShown, type Shown } from './chat-screen.ts'
import { openTalk, type Talk, type Wish } from './chat-talk.ts'
import { findHub, type Hub, HubRefused } from './hub.ts'
import { type Call, type ExitCode, exitCodes, HubUnreachable, type Result, tell, WrongUsage } from './output.ts'

const historyLines = 20
/** How often a chat from a pipe looks for a lost hub; with the pauses of the link that is half a minute. */
const mostTries = 20

type Chat = {
  readonly talk: Talk
  readonly isTerminal: boolean
  readonly json: boolean
  readonly lines: Interface
  /** Lines of a pipe; asked for at once, because what comes before that is lost. */
  readonly piped: AsyncIterable<string> | null
  readonly home: string
  shown: Shown
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
    const code = isTerminal ? await fromKeyboard(one, call) : await fromPipe(one, call)
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
  const one: Chat = {
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

function show(one: Chat, view: View): void {
  if (one.isOver) return
  const drawn = draw(one.shown, view, one.talk.own)
  one.shown = drawn.shown
  put(one, drawn.text)
  if (view.turn === null && !one.isPrompted) promptAgain(one)
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

/** A sentence beside the conversation. */
function aside(one: Chat, sentence: string): void {
  if (one.isOver) return
  const isBack = one.isPrompted
  endLine(one)
  clearPrompt(one)
  tell(sentence)
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
  one.lines.prompt(true)
  one.isPrompted = true
}

// ---- a person at the keyboard

function fromKeyboard(one: Chat, call: Call): Promise<ExitCode> {
  return new Promise((resolve) => {
    one.lines.on('line', (line) => {
      one.isPrompted = false
      void act(one, call, line).then((next) => (next === 'end' ? one.lines.close() : promptAgain(one)))
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
  if (one.talk.view.turn !== null) stop(one).catch((error: unknown) => aside(one, messageOf(error)))
  else if (one.lines.line === '') one.lines.close()
  else {
    one.lines.write(null, { ctrl: true, name: 'e' })
    one.lines.write(null, { ctrl: true, name: 'u' })
    promptAgain(one)
  }
}

// ---- lines from a pipe

async function fromPipe(one: Chat, call: Call): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done
  for await (const line of one.piped ?? []) {
    if (line.trim() === '') continue
    if ((await act(one, call, line)) === 'end') return code
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
    if (view.questions.length > 0) return exitCodes.waiting
    if (isOver) return mine.at(-1)?.status === 'failed' ? exitCodes.failed : exitCodes.done
    await new Promise<void>((resolve) => {
      one.wake = resolve
    })
  }
}

// ---- what a line means

type Next = 'go on' | 'end'

async function act(one: Chat, call: Call, line: string): Promise<Next> {
  try {
    return await understand(one, call, line.trim())
  } catch (error) {
    aside(one, messageOf(error))
    if (!one.isTerminal && !(error instanceof HubRefused)) throw error
    return 'go on'
  }
}

async function understand(one: Chat, call: Call, line: string): Promise<Next> {
  if (line === '') return 'go on'
  if (line.startsWith('/') && !line.startsWith('//')) return command(one, call, line)
  const text = line.startsWith('//') ? line.slice(1) : line
  const asked = one.talk.view.questions[0]
  if (asked) await one.talk.answer(asked.id, answerTo(asked, text))
  else await one.talk.say(text)
  return 'go on'
}

/** A number or the words of an option choose it; anything else is an answer in own words. */
function answerTo(asked: OpenQuestion, text: string): { readonly text: string } | { readonly option: string } {
  const byNumber = /^\d+$/.test(text) ? asked.options[Number(text) - 1] : undefined
  const option = byNumber ?? asked.options.find((one) => one.label.toLowerCase() === text.toLowerCase())
  return option ? { option: option.label } : { text }
}

type Command = { readonly what: string; readonly run: (one: Chat, call: Call, rest: string) => Promise<Next> }

const commands: Readonly<Record<string, Command>> = {
  '/hub': { what: 'go to the hub, in your home', run: (one, call) => goHome(one, call) },
  '/new': {
    what: 'begin a new conversation with the hub, or with: /new AGENT',
    run: (one, _call, agent) => goOn(begin(one, agent)),
  },
  '/stop': { what: 'stop what runs now', run: (one) => goOn(stop(one)) },
  '/say': { what: 'say something while a question is open: /say TEXT', run: (one, _call, text) => goOn(sayMore(one, text)) },
  '/help': { what: 'show this', run: (one) => goOn(help(one)) },
  '/quit': { what: 'end the chat', run: async () => 'end' },
}

function command(one: Chat, call: Call, line: string): Promise<Next> {
  const [name = '', ...words] = line.split(/\s+/)
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (found) return found.run(one, call, words.join(' '))
  throw new HubRefused(
    400,
    'invalid',
    `There is no ${name}; there are ${Object.keys(commands).join(', ')}. Two slashes send a line that begins with one.`,
  )
}

async function goOn(done: Promise<unknown>): Promise<Next> {
  await done
  return 'go on'
}

async function begin(one: Chat, agent: string): Promise<void> {
  await one.talk.enter({ agent: agent || undefined })
  aside(one, 'A new conversation.')
}

async function sayMore(one: Chat, text: string): Promise<void> {
  if (text === '') throw new HubRefused(400, 'invalid', '/say needs a text: /say TEXT')
  await one.talk.say(text)
}

async function stop(one: Chat): Promise<void> {
  const outcome = await one.talk.stop()
  if (outcome === 'nothing' || outcome === 'too_late') aside(one, 'Nothing runs.')
}

async function help(one: Chat): Promise<void> {
  aside(
    one,
    Object.entries(commands)
      .map(([name, { what }]) => `${name.padEnd(6)} ${what}`)
      .join('\n'),
  )
}

/** The newest open conversation in the person's home, one with the hub before others; a new one when there is none. */
async function goHome(one: Chat, call: Call): Promise<Next> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/sessions', sessions, { query: { limit: 100 } })
  const homes = items.filter((one) => userOfHome(one.project) !== null && one.status !== 'CLOSED')
  const atHome = homes.find((one) => one.agent === 'hub') ?? homes[0]
  if (atHome?.id !== one.talk.view.session || !atHome) await one.talk.enter(atHome ? { session: atHome.id } : {})
  return 'go on'
}
