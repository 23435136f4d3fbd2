// The exec family: programs of this machine, run for an agent inside the project's folders (T12).
// Owns: the sandbox and whether there is one, what a command may see, its time and its output, and the end of all that it started.
// Leaves whether a command may run to policy. Others also use sandbox.ts (looked for once, a finding for doctor), by way of this door.
import type { Tool } from '../tool.ts'
import { execRun } from './exec-run.ts'
import type { ExecMeans } from './means.ts'

export type { ExecMeans } from './means.ts'
export { sandboxModeOf } from './mode.ts'
export { type Sandbox, sandboxFinding, sandboxOf } from './sandbox.ts'

export function execTools(means: ExecMeans): readonly Tool[] {
  return [execRun(means)]
}
