// From the start of the process to the line with the address, beside a Node that prints a line and ends.

import type { At, Part } from './part.ts'
import { processorMs, type Started } from './place.ts'
import { median } from './spread.ts'

export const start: Part = {
  name: 'start',
  async run(at) {
    at.tell('start to ready')
    const times = at.quick ? 5 : 11
    const home = at.place.folder('start')
    await (await at.place.hub(home)).end()
    const again = await medianReady(times, () => at.place.hub(home))
    const fresh = await medianReady(times, () => at.place.hub(at.place.folder('new')))
    const bare = await medianReady(times, () => at.place.start(['-e', 'console.log(1)']))
    return [
      { name: 'start to ready', unit: 'ms', ours: again.ready, floor: bare.ready, hold: { most: 400 } },
      { name: 'start to ready, empty home', unit: 'ms', ours: fresh.ready, floor: bare.ready, hold: { most: 400 } },
      { name: 'processor of a start', unit: 'ms', ours: again.processor, floor: null, hold: null, note: 'of all its threads' },
    ]
  },
}

type Starts = { readonly ready: number; readonly processor: number }

async function medianReady(times: number, begin: () => ReturnType<At['place']['start']>): Promise<Starts> {
  const found: Starts[] = []
  for (let i = 0; i < times; i++) {
    const started: Started = await begin()
    found.push({ ready: started.readyMs, processor: processorMs(started.pid) })
    await started.end()
  }
  return { ready: median(found.map(({ ready }) => ready)), processor: median(found.map(({ processor }) => processor)) }
}
