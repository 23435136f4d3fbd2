// Whether commands can be locked in on this machine: bubblewrap is there, and the system lets it make namespaces.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Finding } from '../../protocol/api.ts'
import { jail } from './mounts.ts'

export type Sandbox =
  | {
      readonly kind: 'bwrap'
      readonly program: string
      readonly version: string
      /** It can limit a folder in memory (--size). */
      readonly sizes: boolean
      /** It can forbid sandboxes within the sandbox (--disable-userns). */
      readonly flat: boolean
    }
  /** `why`: a whole sentence. `mend`: what the person can do. */
  | { readonly kind: 'none'; readonly why: string; readonly mend: string }

const probeMs = 10_000
const run = promisify(execFile)

/** Looked for when it is first needed. What was found stays; what was not is looked for again, since a person may have mended it. */
export function sandboxOf(path: string): () => Promise<Sandbox> {
  let found: Promise<Sandbox> | null = null
  return async () => {
    found ??= findSandbox(path)
    const sandbox = await found
    if (sandbox.kind === 'none') found = null
    return sandbox
  }
}

/** Runs a command that does nothing in the very sandbox that others will get. Never throws. */
export async function findSandbox(path: string): Promise<Sandbox> {
  if (process.platform !== 'linux') {
    const why = `There is no sandbox for commands on ${process.platform}; it needs Linux and bubblewrap.`
    return { kind: 'none', why, mend: 'Run Steward on Linux, or in a Linux container or virtual machine.' }
  }
  const program = findProgram('bwrap', path)
  if (program === null)
    return {
      kind: 'none',
      why: 'The program bwrap (bubblewrap) is not installed.',
      mend: 'Install it, for example: apt install bubblewrap',
    }
  try {
    const [version, help] = await Promise.all([run(program, ['--version']), run(program, ['--help'])])
    const found: Sandbox = {
      kind: 'bwrap',
      program,
      version: version.stdout.trim().replace(/^bubblewrap /, ''),
      sizes: help.stdout.includes('--size'),
      flat: help.stdout.includes('--disable-userns'),
    }
    const args = jail({ sandbox: found, roots: [], closed: [], writes: false, cwd: '/', path, argv: ['/bin/sh', '-c', ':'] })
    await run(program, [...args], { timeout: probeMs, killSignal: 'SIGKILL', env: {} })
    return found
  } catch (error) {
    return refusedBy(error)
  }
}

/** For `steward doctor`. */
export function sandboxFinding(sandbox: Sandbox): Finding {
  const name = 'sandbox'
  if (sandbox.kind === 'bwrap')
    return { name, status: 'ok', detail: `bubblewrap ${sandbox.version}: commands run without network, in the project's folders only` }
  return { name, status: 'warn', detail: `${sandbox.why} Commands of agents are refused.`, mend: sandbox.mend }
}

/** The first of the folders that has it. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter((one) => one.startsWith('/'))) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // The next one.
    }
  }
  return null
}

function refusedBy(error: unknown): Sandbox {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : String(error)
  const why = `bubblewrap is installed, but can't make a sandbox here: ${said?.slice(0, 200)}.`
  return { kind: 'none', why, mend: mendOf(said ?? '') }
}

function mendOf(said: string): string {
  if (/proc/.test(said))
    return 'In a container, allow a /proc of its own: docker run --security-opt systempaths=unconfined --security-opt seccomp=unconfined'
  if (/namespace|uid map|unshare|not permitted|permission/i.test(said)) {
    return (
      'Let programs make user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 and, on Ubuntu, ' +
      'kernel.apparmor_restrict_unprivileged_userns=0; in a container: --security-opt seccomp=unconfined'
    )
  }
  return 'Run "bwrap --unshare-all --ro-bind / / true" to see what the system says.'
}
