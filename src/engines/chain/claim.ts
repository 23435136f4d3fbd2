// One chain at a time changes a project's folders (E25). Who comes later says so, stands in line, and goes on when they are free.
import { realpath } from 'node:fs/promises'
import type { Turn } from '../../lanes/engine.ts'
import type { Voice } from '../turn/voice.ts'
import type { Claim, Runs } from './runs.ts'

/** A release that nobody heard of is found by looking again. */
const lookAgainMs = [60_000, 300_000, 900_000, 3_600_000]
const mostLooks = 60

/** False: they were not free for days. */
export async function claimFolders(
  runs: Pick<Runs, 'claim' | 'stand'>,
  turn: Turn,
  { roots, voice }: { readonly roots: readonly string[]; readonly voice: Voice },
): Promise<boolean> {
  const folders = await turn.read('claim-folders', () => foldersOf(roots, turn.process.project))
  for (let at = 1; at <= mostLooks; at++) {
    const claimed: Claim = await turn.step(`claim-${at}`, 'idempotent', () => runs.claim(turn.id, folders))
    if (claimed.ok) return true
    if (at === 1) voice.say('claim-waits', { text: waiting(claimed) })
    const afterMs = lookAgainMs[Math.min(at, lookAgainMs.length) - 1] ?? 0
    const ask = turn.open(`claim-ask-${at}`, { kind: 'timer', afterMs })
    const stands = await turn.step(`claim-stand-${at}`, 'idempotent', () => runs.stand(turn.id, ask, folders))
    if (stands) await turn.wait(`claim-turn-${at}`, [ask], { wake: false })
  }
  return false
}

/** As they really are on the disk; a project without folders is claimed by its name. */
async function foldersOf(roots: readonly string[], project: string): Promise<readonly string[]> {
  if (roots.length === 0) return [`project:${project}`]
  return Promise.all(roots.map((root) => realpath(root).catch(() => root)))
}

function waiting({ project, title }: Extract<Claim, { ok: false }>): string {
  const what = title === '' ? 'Another chain' : `Another chain ("${title}", project ${project})`
  return `${what} is changing the same folders. I wait until it has ended, then I go on by myself.`
}
