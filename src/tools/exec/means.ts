// What running commands needs from outside.
import type { Clock } from '../../base/clock.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import type { SandboxMode } from './mode.ts'
import type { WayOut } from './proxy.ts'
import type { Sandbox } from './sandbox.ts'

export type ExecMeans = {
  readonly clock: Clock
  readonly sandbox: () => Promise<Sandbox>
  /** The setting `exec.sandbox`. */
  readonly mode: (process: ProcessInfo) => Promise<SandboxMode>
  /** Folders in which programs are looked for: the hub's own PATH. */
  readonly path: string
  /** A folder in which each command has one for itself while it runs. */
  readonly temp: string
  /** By which guard a command that was given the network reaches it; absent: none is given any. */
  readonly reach?: WayOut
}
