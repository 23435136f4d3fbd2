// From the start of the process to the line with the address, beside a Node that prints a line and ends.

import type { At, Part } from './part.ts'
import type { Started } from './place.ts'
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
      { name: 'start to ready', unit: 'ms', ours: again, floor: bare, hold: { most: 400 } },
      { name: 'start to ready, empty home', unit: 'ms', ours: fresh, floor: bare, hold: { most: 400 } },
    ]
  },
}

async function medianReady(times: number, begin: () => ReturnType<At['place']['start']>): Promise<number> {
  const found: number[] = []
  for (let i = 0; i < times; i++) {
    const started: Started = await begin()
    found.push(started.readyMs)
    await started.end()
  }
  return median(found)
}
