// Watches one call: ends it when nothing comes for too long, or when who asked has stopped.
import type { Alarm, Clock } from '../base/clock.ts'
import { failure, type ModelFailure } from './message.ts'

export type Watch = {
  /** Aborts when the time is over or the outer signal aborts. */
  readonly signal: AbortSignal
  /** Something came: the next part has its own time. */
  alive(): void
  /** Why the watch ended the call; null when it did not. `model` is named in the sentence. */
  ended(model: string): ModelFailure | null
  stop(): void
}

type Watched = {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly limits: { readonly firstByteMs: number; readonly betweenChunksMs: number; readonly wholeMs: number }
}

type Reason = 'first' | 'between' | 'whole' | 'aborted'

/** Starts at once with the time of the first part. `stop` must be called when the call is over. */
export function watch({ signal, clock, limits }: Watched): Watch {
  const inner = new AbortController()
  let why: Reason | null = null
  let alarm: Alarm | null = null

  const end = (reason: Reason) => {
    why ??= reason
    inner.abort()
  }
  const onAbort = () => end('aborted')
  const arm = (ms: number, reason: Reason) => {
    alarm?.cancel()
    alarm = clock.after(ms, () => end(reason))
  }

  if (signal.aborted) end('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  arm(limits.firstByteMs, 'first')
  const last = clock.after(limits.wholeMs, () => end('whole'))

  return {
    signal: inner.signal,
    alive: () => arm(limits.betweenChunksMs, 'between'),
    ended(model) {
      if (why === null) return null
      return why === 'aborted' ? failure('aborted', 'The call was stopped.') : failure('timeout', sentence(why, model, limits))
    },
    stop() {
      alarm?.cancel()
      last.cancel()
      signal.removeEventListener('abort', onAbort)
    },
  }
}

function sentence(why: Exclude<Reason, 'aborted'>, model: string, limits: Watched['limits']): string {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} seconds`
  if (why === 'first') return `The model ${model} did not start to answer for ${seconds(limits.firstByteMs)}.`
  if (why === 'whole') return `The model ${model} did not come to an end within ${seconds(limits.wholeMs)}.`
  return `The model ${model} stopped in the middle of its answer and sent nothing for ${seconds(limits.betweenChunksMs)}.`
}
