// The structured action loop as a durable function: the model is asked, its tools run, and one action ends the turn or goes on.
// What is wrong is corrected inside the loop (E4); a turn ends after 20 rounds or half an hour with an answer from what there is (E5).

import { spoken } from '../../context/context.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { ToolSpec } from '../../tools/tool.ts'
import type { More } from '../turn/ask.ts'
import { type Called, runCalls } from '../turn/calls.ts'
import { type Answered, callModel } from '../turn/model.ts'
import { type Action, actionInText, actName, inWords, type Read, readCall } from './action.ts'
import { hearWork } from './hear.ts'
import type { ActionRooms, Scene } from './scene.ts'

export type Streamed = { readonly step: string; readonly text: string }

/** `name` begins the names of the steps of this action. `streamed`: words of the same reply, not said as a line yet. */
export type Acting = Scene & { readonly name: string; readonly streamed: Streamed | null }

/**
 * What an action led to. Not ended: `text` is the model's result of it. `isWrong`: it could not be carried out, and that counts as
 * a correction. `waited`: for a person; `arrived`: what came in meanwhile.
 */
export type Applied =
  | { readonly end: true }
  | {
      readonly end: false
      readonly text: string
      readonly isWrong?: boolean
      readonly waited?: boolean
      readonly arrived?: readonly Entry[]
    }

export type Vocabulary = {
  readonly tool: ToolSpec
  readonly types: readonly string[]
  /** Why it can't be, in words for the model; null when it can. Pure. */
  fault(action: Action, scene: Scene): string | null
  apply(action: Action, acting: Acting): Promise<Applied>
}

const mostRounds = 20
const mostMs = 30 * 60_000
/** Wrong actions in one turn. */
const mostCorrections = 3

type Next = { readonly end: boolean; readonly wrong?: boolean; readonly waited?: boolean; readonly arrived?: readonly Entry[] }

export async function runActions(rooms: ActionRooms, scene: Scene, vocabulary: Vocabulary, more: More = {}): Promise<void> {
  const { turn, setup, own, voice } = scene
  const isOver = stopwatch(scene)
  let corrections = 0
  let waited = false
  for (let round = 1; round <= mostRounds; round++) {
    if (isOver(round, waited)) break
    const asking = { setup, own, voice, more: { ...more, tools: [vocabulary.tool] } }
    const reply = await callModel(rooms, turn, { name: `model-${round}`, ...asking })
    if (!reply) return
    own.push({ role: 'assistant', text: reply.text, toolCalls: reply.toolCalls, from: { step: reply.step } })
    const next = await takeReply(rooms, scene, { vocabulary, round, reply })
    waited = next.waited ?? false
    if (next.wrong && ++corrections > mostCorrections) return giveUp(scene, reply)
    // What comes in after the last round is not taken: it starts the next turn.
    const arrived = [...(next.arrived ?? []), ...(round < mostRounds ? turn.arrivals(`after-${round}`) : [])]
    const left = arrived.length === 0 ? 0 : await hearWork(scene, { entries: arrived, safePoint: `after-${round}` })
    if (next.end && left === 0) return
    if (left > 0) corrections = 0
  }
  await synthesize(rooms, scene, more)
}

/** Half an hour of work; what a person took to answer does not count. */
function stopwatch({ turn }: Scene): (round: number, waited: boolean) => boolean {
  let began = 0
  return (round, waited) => {
    if (round === 1) return false
    const now = turn.now(`clock-${round}`)
    if (round === 2 || waited) began = now
    return now - began > mostMs
  }
}

type Taking = { readonly vocabulary: Vocabulary; readonly round: number; readonly reply: Answered }

async function takeReply(rooms: ActionRooms, scene: Scene, { vocabulary, round, reply }: Taking): Promise<Next> {
  const { turn, setup, mind, guard, own } = scene
  const acts = reply.toolCalls.filter((call) => call.name === actName)
  const others = reply.toolCalls.filter((call) => call.name !== actName)
  if (reply.toolCalls.length === 0) return takeProse(scene, { vocabulary, round, reply })
  // Words beside tools were shown live: they are a line before what the tools bring.
  if (acts.length === 0) sayProse(scene, { round, reply })
  const done =
    others.length > 0 ? await runCalls(rooms, turn, { number: round, setup, calls: others, mind, guard, entries: scene.entries }) : null
  const answer = (text: string) => own.push(...resultsOf(reply, done?.called ?? [], text))
  const around = { ...(done ? { waited: done.waited, arrived: done.arrived } : {}) }
  if (acts.length === 0) {
    answer('')
    if (!done?.end) return { end: false, ...around }
    scene.voice.say(`circles-${round}`, { text: done.end })
    return { end: true, ...around }
  }
  const failed = done?.called.find(({ ok }) => !ok)
  if (failed) {
    answer(`Not carried out, because ${failed.call.name} failed in the same reply. Look at its result, then act.`)
    return { end: false, ...around }
  }
  const applied = await carryOut(scene, { vocabulary, round, reply }, readCall(acts, vocabulary.types))
  answer(applied.end ? 'Done.' : applied.text)
  const waited = (done?.waited ?? false) || (!applied.end && (applied.waited ?? false))
  if (applied.end) return { end: true, ...around }
  return { end: false, wrong: applied.isWrong ?? false, waited, arrived: [...(done?.arrived ?? []), ...(applied.arrived ?? [])] }
}

/** A reply without a call: an action that was written out, or an answer in plain words. */
async function takeProse(scene: Scene, taking: Taking): Promise<Next> {
  const { vocabulary, reply } = taking
  if (reply.text.trim() === '') {
    scene.own.push({ role: 'user', hub: true, text: `The reply was empty. Call ${actName} with what the person is to be told.` })
    return { end: false, wrong: true }
  }
  const written = actionInText(reply.text, vocabulary.types)
  const action = written ?? { type: 'ANSWER', reason: 'in plain words', fields: { message: reply.text } }
  const applied = await carryOut(scene, taking, { ok: true, action }, written === null)
  if (applied.end) return { end: true }
  scene.own.push({ role: 'user', hub: true, text: applied.text })
  return { end: false, wrong: applied.isWrong ?? false, arrived: applied.arrived ?? [] }
}

/** `isShown`: the text of the reply is for the person; a written-out action is not. */
async function carryOut(scene: Scene, { vocabulary, round, reply }: Taking, read: Read, isShown = true): Promise<Applied> {
  if (!read.ok) return notDone(read.why)
  // Notices that the model imitates are no words of its own, wherever it writes them.
  const action = inWords(read.action, (text) => spoken(scene.turn.process.id, text))
  const why = vocabulary.fault(action, scene)
  if (why !== null) return notDone(why)
  const streamed = isShown && reply.text.trim() !== '' ? { step: reply.step, text: reply.text } : null
  return vocabulary.apply(action, { ...scene, name: `act-${round}`, streamed })
}

function notDone(why: string): Applied {
  return { end: false, text: `Not carried out: ${why}`, isWrong: true }
}

/** In the order of the calls; `text` answers every action among them. */
function resultsOf(reply: Answered, called: readonly Called[], text: string): Scene['own'] {
  return reply.toolCalls.map((call) => {
    const done = called.find((one) => one.call === call)
    return done?.message ?? { role: 'tool', callId: call.id, name: call.name, text }
  })
}

function sayProse({ voice }: Scene, { round, reply }: { readonly round: number; readonly reply: Answered }): void {
  if (reply.text.trim() !== '') voice.say(`reply-${round}`, { text: reply.text, streamed: reply.step })
}

/** Nothing of what was wrong is told: only what was meant for the person. */
function giveUp({ voice }: Scene, reply: Answered): void {
  const text = reply.text.trim() === '' ? 'I could not work out what to do with that. Please say it in other words.' : reply.text
  voice.say('gave-up', { text, ...(reply.text.trim() === '' ? {} : { streamed: reply.step }) })
}

/** The last word, without tools. */
async function synthesize(rooms: ActionRooms, scene: Scene, more: More): Promise<void> {
  const { turn, voice, own } = scene
  const text = 'There is no more time for work in this turn. Tell the person in plain words what you found, and what is left open.'
  const { surface: _, ...setup } = scene.setup
  const asking = { setup: { ...setup, tools: [] }, own: [...own, { role: 'user' as const, hub: true, text }], voice, more }
  const reply = await callModel(rooms, turn, { name: 'model-last', ...asking })
  if (!reply) return
  const isSilent = reply.text.trim() === ''
  const sorry = 'I worked on this for as long as one turn may take and came to no end. Say "go on", and I continue from here.'
  voice.say('last', isSilent ? { text: sorry } : { text: reply.text, streamed: reply.step })
}
