// Copies of parts are swept away when their chain is over, however it ended. They are found by the chain's own name, which nobody
// else has: a folder that it did not make stays (E36).
import { readdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { TurnId } from '../../base/ids.ts'
import { branchesFolder, removeBranches } from './branches.ts'

/** Begins the names of all folders that a chain makes, and names its documents. */
export function runName(turn: TurnId | string): string {
  return `run_${turn.slice(4)}`
}

/** Done again it does nothing more. Throws when something can't be removed yet. */
export async function sweepCopies(folders: readonly string[], turn: TurnId): Promise<void> {
  await removeBranches(folders.filter(isAbsolute), runName(turn))
}

export async function hasCopies(folders: readonly string[], turn: TurnId): Promise<boolean> {
  const name = runName(turn)
  const found = await Promise.all(folders.filter(isAbsolute).map((root) => readdir(join(root, branchesFolder)).catch(() => [])))
  return found.flat().some((one) => one === name || one.startsWith(`${name}-`))
}
