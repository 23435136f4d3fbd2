// Calls of models: what a greeting costs, and how soon another model answers when the first has no time.

import { startScriptedModel } from '../../src/models/scripted.ts'
import type { Figure } from './figure.ts'
import { type At, type Part, turnIn } from './part.ts'
import { askHub, newSessions } from './place.ts'
import { median } from './spread.ts'

export const calls: Part = {
  name: 'calls',
  run: async (at) => [...(await greeting(at)), await fallback(at)],
}

/** What goes out for a first "hello" to the hub, byte by byte, and what it leaves in the journal. */
async function greeting(at: At): Promise<readonly Figure[]> {
  at.tell('a greeting')
  const model = await startScriptedModel()
  const hub = await at.place.hub(at.place.folder('greeting'), model.origin)
  const [session = ''] = await newSessions(hub, 1)
  await askHub(hub, turnIn(hub, session, 'hello'))
  const bytes = Buffer.byteLength(model.requests.at(-1)?.text ?? '')
  const tools = Buffer.byteLength(JSON.stringify(model.requests.at(-1)?.body.tools ?? []))
  const { items } = await askHub<{ items: readonly { readonly type: string; readonly data: unknown }[] }>(hub, {
    method: 'GET',
    path: `/api/sessions/${session}/events?limit=100&detail=operator`,
  })
  const manifest = items.find((event) => event.type === 'manifest')
  if (manifest === undefined) throw new Error('no manifest was journalled')
  await hub.end()
  await model.close()
  return [
    { name: 'a greeting to the hub', unit: 'bytes', ours: bytes, floor: null, hold: { most: 4_000 }, note: `${tools} of them for tools` },
    {
      name: 'its manifest in the journal',
      unit: 'bytes',
      ours: Buffer.byteLength(JSON.stringify(manifest.data)),
      floor: null,
      hold: null,
    },
  ]
}

/** A new hub each time: one that was refused rests, and is not asked again so soon. */
async function fallback(at: At): Promise<Figure> {
  at.tell('a model that has no time')
  const model = await at.place.model()
  const found: number[] = []
  const plain: number[] = []
  for (let i = 0; i < (at.quick ? 1 : 5); i++) {
    const hub = await at.place.hub(at.place.folder('busy'), model.address, { STEWARD_MODEL: 'openai/busy,openai/scripted' })
    const [session = ''] = await newSessions(hub, 1)
    for (const times of [found, plain]) {
      const begun = performance.now()
      await askHub(hub, turnIn(hub, session))
      times.push(performance.now() - begun)
    }
    await hub.end()
  }
  await model.end()
  const note = 'from the message to the answer of the second; floor: the next turn, which does not ask the first'
  return { name: 'a turn whose first model says 429', unit: 'ms', ours: median(found), floor: median(plain), hold: { most: 5_000 }, note }
}
