// The turn that an engine sees: a run's verbs, put together. Each verb stands in its own file.
import type { Entry } from '../protocol/entry.ts'
import type { Turn } from './engine.ts'
import type { Run } from './running.ts'
import { arrivals } from './turn-arrivals.ts'
import { ask, open, wait } from './turn-ask.ts'
import { note, now, post, say } from './turn-say.ts'
import { once, read, step } from './turn-step.ts'

export function turnOf(run: Run): Turn {
  const { core } = run
  const { process } = core.state()
  if (!process) throw new Error('a turn without a process')
  const { id, taken, startedWith, leaf, chain, priority } = run.turn()
  const entries: readonly Entry[] = taken.slice(0, startedWith).map((t) => core.body(t.entry))
  const own = taken.find((t) => t.message !== undefined)
  return {
    id,
    process,
    epoch: core.epoch,
    entries,
    leaf,
    before: own ? (own.parent ?? null) : leaf,
    chain,
    priority,
    signal: run.signal,
    step: (name, kind, act) => step(run, { name, kind }, act),
    read: (name, look) => read(run, name, look),
    once: (name, act, options) => once(run, name, { act, ...options }),
    arrivals: (name) => arrivals(run, name),
    open: (name, what) => open(run, name, what),
    wait: (name, asks, options) => wait(run, { name, asks, ...options }),
    ask: (name, what, options) => ask(run, name, { what, ...options }),
    say: (name, line) => say(run, name, line),
    post: (name, lane, work) => post(run, { name, lane, work }),
    note: (name, fact) => note(run, name, fact),
    now: (name) => now(run, name),
  }
}
