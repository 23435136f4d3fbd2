// The actions that only speak: ANSWER, ASK_USER, RELAY, WAIT, REJECT. The same for the hub and for a session's orchestrator.

import type { NewLine } from '../../lanes/engine.ts'
import { textIn } from '../turn/model.ts'
import { attributed } from '../turn/route-relay.ts'
import { type Action, faultInOptions, fieldOf, messageOf, optionsOf, unstreamed, withOptions } from './action.ts'
import type { Acting, Applied } from './loop.ts'
import { reportFor, type Scene } from './scene.ts'

export const speakTypes: readonly string[] = ['ANSWER', 'ASK_USER', 'RELAY', 'WAIT', 'REJECT']

/** undefined: it is none of these. */
export function faultInSpeech(action: Action, { reports }: Scene): string | null | undefined {
  switch (action.type) {
    case 'ANSWER':
    case 'WAIT':
    case 'REJECT':
      return null
    case 'ASK_USER':
      return faultInOptions(optionsOf(action))
    case 'RELAY':
      return faultInRef(action, reports)
    default:
      return undefined
  }
}

export function faultInRef(action: Action, reports: Scene['reports']): string | null {
  const ref = fieldOf(action, 'eventRef')
  if (reportFor(ref, reports) !== null) return null
  const known = [...reports.keys()].join(', ') || 'none'
  return ref === null
    ? `"eventRef" is missing: it names a report of this turn (${known}).`
    : `"eventRef" ${JSON.stringify(ref.slice(0, 60))} names no report of this turn; there are: ${known}. Earlier ones can't be relayed any more.`
}

/** undefined: it is none of these. */
export async function applySpeech(action: Action, acting: Acting): Promise<Applied | undefined> {
  switch (action.type) {
    case 'ANSWER':
      return answer(action, acting)
    case 'REJECT':
      return told(acting, messageOf(action), {})
    case 'ASK_USER':
      return askUser(action, acting)
    case 'RELAY':
      return relay(action, acting)
    case 'WAIT':
      return told(acting, fieldOf(action, 'message'), {})
    default:
      return undefined
  }
}

/** The one way in which an action speaks. Words of the same reply that were streamed are settled too, and nothing is said twice. */
export function told(acting: Acting, message: string | null, line: Pick<NewLine, 'info' | 'options'>): Applied {
  const { voice, streamed, name } = acting
  const rest = unstreamed(streamed?.text ?? null, message)
  if (streamed && rest !== null) voice.say(`${name}-prose`, { text: streamed.text, streamed: streamed.step })
  if (rest !== null) voice.say(name, { text: rest, ...line })
  else if (streamed) voice.say(name, { text: streamed.text, streamed: streamed.step, ...line })
  return { end: true }
}

function answer(action: Action, acting: Acting): Applied {
  const info = fieldOf(action, 'info')
  return told(acting, messageOf(action), info === null ? {} : { info })
}

/**
 * With a person before it: a line with options, and the turn is over, so that nothing stands behind the question. A worker asks as
 * a question of its turn, because whoever ordered the work hears of it by a report and the answer must come back here.
 */
async function askUser(action: Action, acting: Acting): Promise<Applied> {
  const { turn, name } = acting
  const options = optionsOf(action)
  const message = messageOf(action)
  if (turn.process.facesPerson) return told(acting, withOptions(message, options), options.length === 0 ? {} : { options })
  const opening = { kind: 'question' as const, text: message, ...(options.length === 0 ? {} : { options }) }
  // Who was addressed by the person is answered in the person's own words too (E43).
  const wake = turn.process.params['direct'] === true
  const got = await turn.ask(`${name}-question`, opening, { wake })
  if (got.kind === 'arrived') return { end: false, text: 'The person answered with what follows.', arrived: got.entries, waited: true }
  if (got.outcome !== 'answered') return { end: false, text: 'Nobody answered. Go on without, and say so.' }
  return { end: false, text: `The person answered: ${textIn(got.value)}` }
}

function relay(action: Action, acting: Acting): Applied {
  const report = reportFor(fieldOf(action, 'eventRef'), acting.reports)
  if (report === null) throw new Error('a report that was there a moment ago')
  return told(acting, attributed(report, report.text), report.options ? { options: report.options } : {})
}
