// The exec family: programs of this machine, run for an agent inside the project's folders (T12).
// Owns: the sandbox and whether there is one, what a command may see, its time and its output, and the end of all that it started.
// Leaves whether a command may run to policy. Others also use sandbox.ts (looked for once, a finding for doctor), by way of this door.
import type { Clock } from '../../base/clock.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import type { Tool } from '../tool.ts'
import { execRun } from './exec-run.ts'
import type { SandboxMode } from './mode.ts'
import type { WayOut } from './proxy.ts'
import type { Sandbox } from './sandbox.ts'

export { sandboxModeOf } from './mode.ts'
export { type Sandbox, sandboxFinding, sandboxOf } from './sandbox.ts'

export type ExecMeans = {
  readonly clock: Clock
  readonly sandbox: () => Promise<Sandbox>
  /** The setting `exec.sandbox`. */
  readonly mode: (process: ProcessInfo) => Promise<SandboxMode>
  /** Folders in which programs are looked for: the hub's own PATH. */
  readonly path: string
  /** A folder of the hub's own in which commands have their homes while they run bare. */
  readonly temp: string
  /** By which guard a command that was given the network reaches it; absent: none is given any. */
  readonly reach?: WayOut
}

export function execTools(means: ExecMeans): readonly Tool[] {
  return [execRun(means)]
}
