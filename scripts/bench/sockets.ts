// One event to a thousand sockets, from the request that makes it.

import type { Part } from './part.ts'
import { newSessions } from './place.ts'

export const sockets: Part = {
  name: 'sockets',
  async run(at) {
    at.tell('one event to 1,000 sockets')
    const [hub, floor] = [await at.place.hub(at.place.folder('sockets')), await at.place.floor('')]
    const [session = ''] = await newSessions(hub, 1)
    const both = { kind: 'sockets', sockets: 1_000, mark: '"session-updated"', rounds: at.quick ? 10 : 40 } as const
    const ours = await at.place.load({
      ...both,
      address: hub.address,
      path: '/api/socket',
      headers: hub.headers,
      hello: JSON.stringify({ id: '1', type: 'session-resume', data: { sessionId: session } }),
      answer: '"replyTo"',
      trigger: { method: 'PATCH', path: `/api/sessions/${session}`, headers: hub.headers, body: '{"title":"$n"}' },
    })
    const trigger = { method: 'POST', path: '/event', body: '{}' }
    const bare = await at.place.load({ ...both, address: floor.address, path: '/', headers: {}, hello: '', answer: '', trigger })
    await Promise.all([hub.end(), floor.end()])
    const note = `p50 ${ours.each.p50.toFixed(1)} ms, frames of ${ours.bytes} bytes`
    return [{ name: 'one event to 1,000 sockets, p99', unit: 'ms', ours: ours.each.p99, floor: bare.each.p99, hold: { most: 60 }, note }]
  },
}
