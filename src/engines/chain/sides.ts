// Parts that are at work at the same time: as many at once as the thresholds allow, the rest in batches.
import { type Attempted, attempt, type Part } from './attempt.ts'
import type { Scene } from './scene.ts'

export const usualParallel = 5

export type Side = { readonly name: string; readonly part: Part }

/** In the order of `sides`. What one hands over is given to none of the others. */
export async function sideBySide(scene: Scene, label: string, sides: readonly Side[]): Promise<readonly Attempted[]> {
  const most = Math.max(1, Math.min(usualParallel, scene.plan.thresholds['maxParallel'] ?? usualParallel))
  const ended: Attempted[] = []
  for (let from = 0; from < sides.length; from += most) {
    const batch = sides.slice(from, from + most)
    const names = batch.map(({ name }) => name).join(', ')
    scene.voice.say(`${label}-batch-${from}`, {
      text: `Side by side (${from + 1} to ${from + batch.length} of ${sides.length}): ${names}.`,
    })
    ended.push(...(await Promise.all(batch.map(({ part }) => attempt(scene, part)))))
  }
  return ended
}
