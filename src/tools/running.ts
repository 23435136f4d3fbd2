// One run of a tool, within its time.
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { type Log, silent } from '../base/log.ts'
import { type Call, type Outcome, refused, type Tool, type ToolContext } from './tool.ts'

type Means = { readonly clock: Clock; readonly log?: Log }
type Running = { readonly call: Call; readonly context: ToolContext }

export const defaultTimeoutMs = 30_000

/** The tool's own answer, or why there is none. What it still does after its time is ignored. */
export async function runLimited(means: Means, tool: Tool, { call, context }: Running): Promise<Outcome> {
  const { signal } = context
  signal.throwIfAborted()
  const inner = new AbortController()
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const over = Promise.withResolvers<Outcome>()
  const stop = () => {
    inner.abort(signal.reason)
    over.reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  const alarm = means.clock.after(timeoutMs, () => {
    const why = `${tool.name} did not end within ${timeoutMs / 1000} seconds and was given up.`
    if (tool.effect === 'once') over.reject(new Error(why))
    else over.resolve(refused('timeout', why))
    inner.abort()
  })
  try {
    return await Promise.race([attempt(means, tool, { call, context: { ...context, signal: inner.signal } }), over.promise])
  } finally {
    alarm.cancel()
    signal.removeEventListener('abort', stop)
  }
}

async function attempt({ log = silent }: Means, tool: Tool, { call, context }: Running): Promise<Outcome> {
  try {
    return await tool.run(call.input, context)
  } catch (thrown) {
    if (tool.effect === 'once') throw thrown
    log('warn', 'a tool broke', { tool: tool.name, session: context.process.session, error: messageOf(thrown) })
    return refused('broken', `${tool.name} broke: ${messageOf(thrown).slice(0, 300)}`)
  }
}
