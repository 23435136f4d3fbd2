// Stop, pause, resume: control that names its turn (L2). No turn named: the one that runs now.

import type { z } from 'zod'
import { isId, laneOf, type ProcessId, type TurnId } from '../base/ids.ts'
import type { steer, steered } from '../protocol/api.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { type Outcome, steerLane } from './outcome.ts'
import { ownProcess, sessionOf } from './session-of.ts'

export type Verb = 'stop' | 'pause' | 'resume'
type Steer = z.infer<typeof steer>
type Steered = z.infer<typeof steered>

/** Throws NotFound for a session or process that is not the caller's. */
export async function steerTurn(hub: Hub, caller: Caller, verb: Verb, given: Steer & { readonly session: string }): Promise<Steered> {
  const session = await sessionOf(hub, caller, given.session)
  if (!isId('ses', session.id)) throw new Error(`${session.id} is not a session's id`)
  const process = await ownProcess(hub, caller, given.process ?? session.process, session.id)
  const turn = await turnOf(hub, process, given.turn)
  if (turn === null) return { process, turn: null, outcome: 'nothing' }
  const outcome = await steerLane(hub, caller, { session: session.id, lane: laneOf(process) }, { kind: verb, turn })
  return { process, turn, outcome: wordOf(outcome) }
}

async function turnOf(hub: Hub, process: ProcessId, named: string | undefined): Promise<TurnId | null> {
  if (named !== undefined) return isId('trn', named) ? named : null
  return (await hub.lanes.look(process))?.turn?.id ?? null
}

function wordOf(outcome: Outcome): Steered['outcome'] {
  return outcome.word === 'refused' ? 'too_late' : outcome.word
}
