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
  readonly limits: { readonly firstByteMs: number; readonly betweenChunksMs: number }
}

/** Starts at once with the time of the first part. `stop` must be called when the call is over. */
export function watch({ signal, clock, limits }: Watched): Watch {
  const inner = new AbortController()
  let why: 'first' | 'between' | 'aborted' | null = null
  let alarm: Alarm | null = null

  const end = (reason: 'first' | 'between' | 'aborted') => {
    why ??= reason
    inner.abort()
  }
  const onAbort = () => end('aborted')
  const arm = (ms: number, reason: 'first' | 'between') => {
    alarm?.cancel()
    alarm = clock.after(ms, () => end(reason))
  }

  if (signal.aborted) end('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  arm(limits.firstByteMs, 'first')

  return {
    signal: inner.signal,
    alive: () => arm(limits.betweenChunksMs, 'between'),
    ended(model) {
      if (why === null) return null
      if (why === 'aborted') return failure('aborted', 'The call was stopped.')
      const ms = why === 'first' ? limits.firstByteMs : limits.betweenChunksMs
      const what = why === 'first' ? 'did not start to answer' : 'stopped in the middle of its answer and sent nothing'
      return failure('timeout', `The model ${model} ${what} for ${Math.round(ms / 1000)} seconds.`)
    },
    stop() {
      alarm?.cancel()
      signal.removeEventListener('abort', onAbort)
    },
  }
}
