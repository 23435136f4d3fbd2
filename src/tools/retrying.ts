// What may go away by itself is tried again inside the call's own time (D13): a network that is down for a moment, a server that has
// too much to do. Only where a second try changes nothing. What nobody can know is for the person; what lasts is told at once.
import type { Clock } from '../base/clock.ts'
import { type Log, silent } from '../base/log.ts'
import { classOf, type FailureClass, nextStep } from '../policy/retry.ts'
import { defaultTimeoutMs } from './running.ts'
import type { Outcome, Tool, ToolContext } from './tool.ts'

export type RetryMeans = {
  readonly clock: Clock
  /** 0 <= x < 1; spreads those that failed together. */
  readonly random: () => number
  readonly log?: Log
}

type Failed = Extract<Outcome, { ok: false }>

export function retrying(means: RetryMeans, tool: Tool): Tool {
  if (tool.effect !== 'replayable') return tool
  return { ...tool, run: (given, context) => tried(means, tool, { context, run: () => tool.run(given, context) }) }
}

type Trying = { readonly context: ToolContext; readonly run: () => Promise<Outcome> }

async function tried(means: RetryMeans, tool: Tool, { context, run }: Trying): Promise<Outcome> {
  const { clock, random } = means
  const until = clock.now() + (tool.timeoutMs ?? defaultTimeoutMs)
  for (let attempt = 1; ; attempt++) {
    const outcome = await run()
    if (outcome.ok || context.signal.aborted) return outcome
    const failure = classIn(outcome)
    if (failure === 'persistent') return outcome
    const { retryAfterMs } = outcome
    const next = nextStep({ class: failure, attempt, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, random)
    if (next.action === 'ask') return said(outcome, 'Nobody but the person can know which is meant: ask, and guess nothing.')
    if (next.action === 'abort' || clock.now() + next.afterMs >= until) return givenUp(means, tool, { outcome, attempt, context })
    context.progress(`${tool.name} failed (${outcome.code}) and is tried again`)
    if (!(await paused(clock, next.afterMs, context.signal))) return outcome
  }
}

/** By its code: `http_503`, `unreachable`. */
function classIn({ code }: Failed): FailureClass {
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  return classOf(status === undefined ? { code } : { status: Number(status) })
}

function givenUp({ log = silent }: RetryMeans, tool: Tool, given: { outcome: Failed; attempt: number; context: ToolContext }): Outcome {
  const { outcome, attempt, context } = given
  log('warn', 'a tool failed each time and was given up', { tool: tool.name, session: context.process.session, code: outcome.code })
  const times = attempt === 1 ? 'once, since it can not be again soon' : `${attempt} times`
  return said(outcome, `It was tried ${times}. Tell the person, or go another way.`)
}

/** Behind the words of others, so that no frame of theirs is opened. */
function said(outcome: Failed, words: string): Outcome {
  return { ...outcome, text: `${outcome.text}\n[${words}]` }
}

/** False: it was stopped meanwhile. */
function paused(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const over = (isOver: boolean) => {
      alarm.cancel()
      signal.removeEventListener('abort', stop)
      resolve(isOver)
    }
    const stop = () => over(false)
    const alarm = clock.after(ms, () => over(true))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
