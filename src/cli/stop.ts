// `steward stop`: asks the running hub to stop in good order, and waits until it has.

import { setTimeout as pause } from 'node:timers/promises'
import { StewardError } from '../base/errors.ts'
import { me } from '../protocol/api.ts'
import { findHub } from './hub.ts'
import type { Call, Result } from './output.ts'

const everyMs = 25
const longestMs = 10_000

export async function stop(call: Call): Promise<Result> {
  const hub = await findHub(call)
  // The note may be of a hub that was killed; only one that answers is sent a signal.
  await hub.call('GET', '/api/me', me)
  const { pid } = hub.runtime
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; waited < longestMs; waited += everyMs) {
    if (!lives(pid)) return { value: { pid, stopped: true }, text: 'Steward has stopped.' }
    await pause(everyMs)
  }
  throw new StewardError(
    'timeout',
    `Steward (process ${pid}) has not stopped within ${longestMs / 1000} seconds; end it with: kill -9 ${pid}`,
  )
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
