// Requests of the owner: how many a second are allowed and answered.

import { driveCalls, type Part } from './part.ts'

export const requests: Part = {
  name: 'requests',
  async run(at) {
    at.tell('requests of the owner')
    const [hub, floor] = [await at.place.hub(at.place.folder('requests')), await at.place.floor('')]
    const given = { clients: 20, count: at.quick ? 5_000 : 25_000 }
    const ours = await driveCalls(
      at,
      hub.address,
      { method: 'GET', path: '/api/me', headers: hub.headers },
      { ...given, expect: '"via":"cookie"' },
    )
    const bare = await driveCalls(at, floor.address, { method: 'GET', path: '/' }, given)
    await Promise.all([hub.end(), floor.end()])
    return [
      {
        name: 'requests of the owner a second, 20 clients',
        unit: '/s',
        ours: ours.perSecond,
        floor: bare.perSecond,
        hold: { least: 5_000 },
      },
    ]
  },
}
