// The loop guard of a turn: folds what was called and what came of it. All of that is recorded, so that a replay judges the same.
import { judgeLoop, type LoopCall, type LoopVerdict, noLoops, seenLoop } from '../../policy/loop-guard.ts'

export type Guard = {
  judge(call: LoopCall): LoopVerdict
  /** `result` null: it was not run. */
  saw(call: LoopCall, result: string | null): void
}

export function openGuard(): Guard {
  let state = noLoops
  return {
    judge: (call) => judgeLoop(state, call),
    saw(call, result) {
      state = seenLoop(state, call, result)
    },
  }
}
