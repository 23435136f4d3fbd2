// Durable appends through the journal, beside one bare table.

import type { Appends } from './appends.ts'
import type { Part } from './part.ts'

export const durable: Part = {
  name: 'appends',
  async run(at) {
    at.tell('durable appends')
    const ms = at.quick ? 600 : 2_000
    const { one, many } = await at.place.run<{ one: Appends; many: Appends }>('appends.ts', [at.place.folder('appends'), String(ms)])
    return [
      { name: 'appends a second, 1 lane', unit: '/s', ours: one.ours, floor: one.bare, hold: { least: 3_000 } },
      { name: 'appends a second, 64 lanes', unit: '/s', ours: many.ours, floor: many.bare, hold: { least: 25_000 } },
    ]
  },
}
