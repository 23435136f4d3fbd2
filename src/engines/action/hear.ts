// Work that came in, heard by a turn of actions: what a worker said to the person is told as it is, what is for somebody else goes
// there, and the rest is for the model.
import type { Entry } from '../../protocol/entry.ts'
import { relayVerbatim } from '../turn/route-relay.ts'
import type { Scene } from './scene.ts'

export type Heard = {
  readonly entries: readonly Entry[]
  /** null: the turn's first work. */
  readonly safePoint: string | null
  /** Ids of those that the person was told of already. */
  readonly told?: ReadonlySet<string>
}

/** How many of them are left for the model. */
export async function hearWork(scene: Scene, { entries, safePoint, told = new Set() }: Heard): Promise<number> {
  const { routes, own } = scene
  const relayed = relayVerbatim(
    scene.voice,
    entries.filter(({ id }) => !told.has(id)),
  )
  const taken = safePoint === null ? await routes.take(entries) : await routes.divert(entries, safePoint)
  const over = new Set([...told, ...relayed, ...taken.told])
  scene.hear(entries, { told: over })
  scene.hear(taken.answers, { told: over })
  const heard = [...entries, ...taken.answers].filter(({ id }) => !over.has(id))
  await scene.attach(heard)
  own.push(...taken.lines)
  const left = heard.length
  if (taken.arrived.length === 0) return left
  return left + (await hearWork(scene, { entries: taken.arrived, safePoint: 'meanwhile', told: over }))
}
