// The data folder: everything about the person, and nothing else (CONTRACT section 6). Owns its layout and modes, and the
// runtime file that names the socket of the hub that works on it. Modes are 0700 for folders and 0600 for files.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { InvalidInput, messageOf } from './errors.ts'
import { sha256 } from './hash.ts'

export const homeFolders = ['blobs', 'documents', 'vault', 'imports', 'backups', 'logs'] as const

/** A hub's own note in the data folder: where it can be reached. Gone when it stopped in good order. */
export type Runtime = {
  readonly socket: string
  readonly pid: number
  /** The address of the web page without a code: http://127.0.0.1:4180 */
  readonly address: string
  readonly version: string
}

/** How many bytes a socket's path may have: the kernel's field is 108 (104 on macOS) with its closing zero. */
const longestSocketPath = process.platform === 'darwin' ? 103 : 107

/**
 * Makes the folder and what belongs into it, and narrows the modes of what is there. Returns what it had to narrow, as sentences.
 * Throws InvalidInput for a path that is no folder, can't be written, or is a folder full of something else.
 */
export function makeHome(home: string): readonly string[] {
  refuseForeign(home)
  try {
    const folders = [home, ...homeFolders.map((name) => join(home, name))]
    return folders.flatMap((folder) => {
      if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) return []
      return narrow(folder, 0o700)
    })
  } catch (cause) {
    throw new InvalidInput(`The data folder ${home} can't be made or written: ${messageOf(cause)}.`, { path: 'STEWARD_HOME', cause })
  }
}

/** Takes every right from group and others; [] when there was none. */
export function narrow(path: string, mode: 0o700 | 0o600): readonly string[] {
  const now = statSync(path).mode & 0o777
  if (process.platform === 'win32' || (now & 0o077) === 0) return []
  chmodSync(path, mode)
  return [`${path} was open to others (mode 0${now.toString(8)}) and is now 0${mode.toString(8)}.`]
}

/** A folder with other things in it is nobody's data folder: its mode would be changed, and an uninstall would remove it. */
function refuseForeign(home: string): void {
  if (!existsSync(home)) return
  if (!statSync(home).isDirectory()) {
    throw new InvalidInput(`STEWARD_HOME is "${home}", which is a file; allowed is a folder.`, { path: 'STEWARD_HOME' })
  }
  const names = readdirSync(home).filter((name) => !name.startsWith('.') && name !== 'lost+found')
  const ours = (name: string): boolean => /^(steward\.|runtime\.json$)/.test(name) || homeFolders.some((one) => one === name)
  if (names.length === 0 || names.some(ours)) return
  throw new InvalidInput(
    `STEWARD_HOME is "${home}", a folder with other things in it (${names[0]}); allowed is a new or empty folder, or a data folder of Steward.`,
    { path: 'STEWARD_HOME' },
  )
}

/** What the environment says about places for sockets, and whose they must be. */
export type Places = { readonly runtimeDir?: string | undefined; readonly tmp: string; readonly uid: number }

/** The places of this process. */
export function placesOf(env: NodeJS.ProcessEnv): Places {
  return { runtimeDir: env.XDG_RUNTIME_DIR || undefined, tmp: '/tmp', uid: process.getuid?.() ?? 0 }
}

/**
 * The path of the hub's socket for that data folder, in a folder of ours with mode 0700 which is made when missing. The runtime
 * directory of the login session is used where it is writable and short enough, else `/tmp/steward-<uid>`.
 * Throws InvalidInput when the folder belongs to somebody else or the path is too long.
 */
export function makeSocketPath(home: string, places: Places): string {
  const hash = sha256(home).slice(0, 16)
  const inSession = places.runtimeDir ? join(places.runtimeDir, `steward-${hash}`, 'hub.sock') : null
  if (inSession && fits(inSession) && makeOwn(dirname(inSession), places.uid) === null) return inSession
  const shared = join(places.tmp, `steward-${places.uid}`)
  const path = join(shared, hash, 'hub.sock')
  if (!fits(path)) throw tooLong(path)
  const problem = makeOwn(shared, places.uid) ?? makeOwn(dirname(path), places.uid)
  if (problem) throw new InvalidInput(problem, { path: 'XDG_RUNTIME_DIR' })
  return path
}

function tooLong(path: string): InvalidInput {
  const bytes = Buffer.byteLength(path)
  return new InvalidInput(`The socket's path "${path}" has ${bytes} bytes; allowed are at most ${longestSocketPath}.`, {
    path: 'XDG_RUNTIME_DIR',
  })
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= longestSocketPath
}

/** null when the folder is there, is ours and nobody else may enter it; otherwise the reason why not. */
function makeOwn(folder: string, uid: number): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== uid)
      return `${folder} belongs to somebody else, so the hub's socket can't be put there; remove it.`
    if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700)
    return null
  } catch (cause) {
    return `${folder} can't be made for the hub's socket: ${messageOf(cause)}.`
  }
}

export function runtimeFile(home: string): string {
  return join(home, 'runtime.json')
}

/** Readers see the old note or the new one, never half of one. */
export function writeRuntime(home: string, runtime: Runtime): void {
  const temporary = `${runtimeFile(home)}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(runtime)}\n`, { mode: 0o600 })
  renameSync(temporary, runtimeFile(home))
}

/** null when there is none or it can't be read: then no hub can be reached. */
export function readRuntime(home: string): Runtime | null {
  try {
    return asRuntime(JSON.parse(readFileSync(runtimeFile(home), 'utf8')))
  } catch {
    return null
  }
}

/** Removes the note when it is this process's own. */
export function removeRuntime(home: string): void {
  if (readRuntime(home)?.pid === process.pid) rmSync(runtimeFile(home), { force: true })
}

function asRuntime(value: unknown): Runtime | null {
  if (typeof value !== 'object' || value === null) return null
  const { socket, pid, address, version }: Partial<Record<keyof Runtime, unknown>> = value
  if (typeof socket !== 'string' || typeof pid !== 'number' || typeof address !== 'string') return null
  return { socket, pid, address, version: typeof version === 'string' ? version : '' }
}
