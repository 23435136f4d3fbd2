// Loaded before a hub: writes how many timers there are into the file BENCH_TIMERS when told so by SIGUSR2.

import { createHook } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'

const alive = new Set<number>()
createHook({
  init: (id, type) => void (type === 'Timeout' && alive.add(id)),
  destroy: (id) => void alive.delete(id),
}).enable()
process.on('SIGUSR2', () => writeFileSync(process.env['BENCH_TIMERS'] ?? '', String(alive.size)))
