// Live words and progress (L9): shown, never journalled. The text so far of a step is kept until its line is said or its turn
// ends, for clients that come later and for text that a stop must save.
import type { LaneId, ProcessId, SessionId, TurnId } from '../base/ids.ts'

/** A new attempt starts at offset 0 and replaces what was shown. Offsets count UTF-16 units. */
export type LiveFrame =
  | {
      readonly kind: 'words'
      readonly session: SessionId
      readonly process: ProcessId
      readonly turn: TurnId
      readonly step: string
      readonly attempt: number
      readonly offset: number
      readonly text: string
    }
  | {
      readonly kind: 'progress'
      readonly session: SessionId
      readonly process: ProcessId
      readonly turn: TurnId
      readonly step: string
      readonly text: string
    }

export type Live = {
  /** Hears frames of that session from now on; returns the way to stop. */
  listen(session: SessionId, hear: (frame: LiveFrame) => void): () => void
  /** The text so far of every step that streams in that session now, as frames with offset 0. */
  soFar(session: SessionId): readonly LiveFrame[]
}

/** Where a step's words belong. */
export type Spot = { readonly session: SessionId; readonly process: ProcessId; readonly turn: TurnId; readonly step: string }

/** The lanes' own side: what steps say. */
export type LiveWords = Live & {
  /** A step begins an attempt: what it showed before is withdrawn. */
  begin(spot: Spot, attempt: number): void
  words(spot: Spot, text: string): void
  progress(spot: Spot, text: string): void
  /** Texts of that lane which no line settled yet, in the order in which they began. */
  unsaid(lane: LaneId): readonly { readonly step: string; readonly text: string }[]
  /** The step's line was said; with no step: the turn ended. */
  end(lane: LaneId, step?: string): void
}

type Streamed = { readonly spot: Spot; readonly attempt: number; readonly parts: string[]; length: number }

export function openLive(): LiveWords {
  const hearers = new Map<SessionId, Set<(frame: LiveFrame) => void>>()
  const lanes = new Map<string, Map<string, Streamed>>()

  function stepsOf(spot: Spot): Map<string, Streamed> {
    const steps = lanes.get(spot.process) ?? new Map<string, Streamed>()
    lanes.set(spot.process, steps)
    return steps
  }

  function send(frame: LiveFrame): void {
    for (const hear of hearers.get(frame.session) ?? []) hear(frame)
  }

  return {
    listen(session, hear) {
      const set = hearers.get(session) ?? new Set()
      hearers.set(session, set.add(hear))
      return () => {
        set.delete(hear)
        if (set.size === 0 && hearers.get(session) === set) hearers.delete(session)
      }
    },
    soFar(session) {
      const frames: LiveFrame[] = []
      for (const steps of lanes.values())
        for (const { spot, attempt, parts } of steps.values())
          if (spot.session === session && parts.length > 0)
            frames.push({ kind: 'words', ...spot, attempt, offset: 0, text: parts.join('') })
      return frames
    },
    begin(spot, attempt) {
      const shown = (stepsOf(spot).get(spot.step)?.length ?? 0) > 0
      stepsOf(spot).set(spot.step, { spot, attempt, parts: [], length: 0 })
      if (shown) send({ kind: 'words', ...spot, attempt, offset: 0, text: '' })
    },
    words(spot, text) {
      if (text === '') return
      const streamed = stepsOf(spot).get(spot.step)
      if (!streamed) return
      const offset = streamed.length
      streamed.parts.push(text)
      streamed.length += text.length
      send({ kind: 'words', ...spot, attempt: streamed.attempt, offset, text })
    },
    progress: (spot, text) => send({ kind: 'progress', ...spot, text }),
    unsaid(lane) {
      const texts: { step: string; text: string }[] = []
      for (const [step, { parts }] of lanes.get(lane) ?? []) if (parts.length > 0) texts.push({ step, text: parts.join('') })
      return texts
    },
    end(lane, step) {
      if (step === undefined) lanes.delete(lane)
      else lanes.get(lane)?.delete(step)
    },
  }
}
