// What a command in the sandbox sees: the system to read, the project's folders, and nothing else of this machine.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { isInside } from '../files/place.ts'
import { gitGuard } from './git-guard.ts'
import { lowered } from './load.ts'

export type Jail = {
  readonly sandbox: { readonly sizes: boolean; readonly flat: boolean }
  /** Real paths. */
  readonly roots: readonly string[]
  readonly closed: readonly string[]
  /** Whether the folders may be changed. */
  readonly writes: boolean
  readonly cwd: string
  /** The hub's own PATH: programs that lie elsewhere than in the system are made visible to be run. */
  readonly path: string
  readonly argv: readonly string[]
  /** Absent: no network at all. `socket`: of the proxy that is the only way out. */
  readonly way?: { readonly socket: string; readonly node: string; readonly bridge: string }
}

/** Where a command with the network finds its proxy. */
export const proxyPort = 3128
const wayFolder = '/run/way'

const tempBytes = 2 * 1024 ** 3
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** What programs need to run; never passwords, keys, or the machine's own configuration. */
const configuration = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'fonts', 'group', 'hosts', 'java-17-openjdk', 'java-21-openjdk'],
  ...[
    'ld.so.cache',
    'ld.so.conf',
    'ld.so.conf.d',
    'locale.alias',
    'localtime',
    'magic',
    'mime.types',
    'nsswitch.conf',
    'os-release',
    'passwd',
  ],
  ...['pki', 'protocols', 'resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'terminfo', 'timezone'],
].map((name) => join('/etc', name))
const keyPlaces = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh', '.password-store', '.local/share/keyrings'],
  ...['.netrc', '.pgpass', '.git-credentials', '.npmrc', '.pypirc', '.mozilla', '.config/google-chrome', '.config/chromium'],
]
/** Folders that are no project: a command in them could change the machine. */
const pillars = [
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
]

/** The folder for which no sandbox can be made, because it is a part of the system; null when all are good. */
export function unfit(roots: readonly string[]): string | null {
  return roots.find((root) => pillars.includes(root) || ['/usr', '/proc', '/sys', '/dev'].some((one) => isInside(root, one))) ?? null
}

/** The arguments of bwrap. The environment is the one that bwrap itself is given. */
export function jail(given: Jail): readonly string[] {
  const { roots, writes, cwd, argv, sandbox } = given
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...(sandbox.flat ? ['--unshare-user', '--disable-userns'] : []),
    ...system.flatMap(asOnHost),
    ...configuration.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(sandbox.sizes ? ['--size', String(tempBytes)] : []),
    ...['--tmpfs', '/tmp', '--dir', '/tmp/home', '--dir', '/run', '--dir', '/var', '--symlink', '../tmp', '/var/tmp'],
    ...elsewhere(given.path, given.closed).flatMap((path) => ['--ro-bind-try', path, path]),
    ...folders(given),
    ...wayOut(given),
    ...(writes ? roots.flatMap(gitGuard) : []),
    ...['--chdir', cwd, '--', ...limited([...bridged(given), ...argv])],
  ]
}

function wayOut({ way }: Jail): readonly string[] {
  if (way === undefined) return []
  const inside = { socket: way.socket, 'bridge.ts': way.bridge, node: way.node }
  return Object.entries(inside).flatMap(([name, path]) => [name === 'socket' ? '--bind' : '--ro-bind', path, join(wayFolder, name)])
}

/** The command runs beside its door to the proxy. */
function bridged({ way }: Jail): readonly string[] {
  if (way === undefined) return []
  return [join(wayFolder, 'node'), '--no-warnings', join(wayFolder, 'bridge.ts'), join(wayFolder, 'socket'), String(proxyPort)]
}

/** PATH inside: the hub's own, as far as it is visible there. */
export function innerPath(path: string): string {
  const seen = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
  const more = path.split(delimiter).filter((folder) => elsewhere(folder, []).length > 0)
  return [...new Set([...more, ...seen])].join(delimiter)
}

/** Links of a merged /usr stay links. */
function asOnHost(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/**
 * Folders of programs outside of the system, such as a version manager's: with their libraries where these lie beside them. Never
 * one that holds, or lies in, a closed folder or a person's home as a whole.
 */
function elsewhere(path: string, closed: readonly string[]): readonly string[] {
  const kept = [...closed, homedir()]
  const isOpen = (folder: string) =>
    !pillars.includes(folder) && !kept.some((one) => isInside(one, folder)) && !closed.some((one) => isInside(folder, one))
  return path.split(delimiter).flatMap((folder) => {
    if (!folder.startsWith('/') || folder.includes(`${sep}node_modules${sep}`) || !existsSync(folder)) return []
    const real = realpathSync(folder)
    if ([folder, real].some((one) => system.some((own) => isInside(one, own))) || !isOpen(real)) return []
    const prefix = dirname(folder)
    const isInstalled = folder.endsWith(`${sep}bin`) && existsSync(join(prefix, 'lib')) && !/(^|\/)(\.local|\.cache|\.config)$/.test(prefix)
    return [isInstalled && isOpen(realpathSync(prefix)) ? prefix : folder]
  })
}

/** Outer folders first, so that what lies in a closed one and is a project again is visible. */
function folders({ roots, closed, writes }: Jail): readonly string[] {
  const open = roots.map((path) => ({ path, args: [writes ? '--bind' : '--ro-bind', path, path] }))
  const shut = closed
    .filter((path) => roots.some((root) => isInside(path, root)))
    .map((path) => ({ path, args: ['--tmpfs', path, '--remount-ro', path] }))
  // A closed folder and a project at the same place: the project is meant.
  const all = [...shut.filter((one) => !roots.includes(one.path)), ...open, ...keysIn(roots)]
  return all.sort((a, b) => a.path.length - b.path.length).flatMap((one) => one.args)
}

/** A project may hold the person's home as a whole; the keys in it are for no command. */
function keysIn(roots: readonly string[]): { readonly path: string; readonly args: readonly string[] }[] {
  const there = keyPlaces.map((name) => join(homedir(), name)).filter((path) => existsSync(path))
  const found = [...new Set(there.map((path) => realpathSync(path)))].filter((path) => roots.some((root) => isInside(path, root)))
  return found.map((path) => ({
    path,
    args: lstatSync(path).isDirectory() ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
  }))
}

function limited(argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', `${lowered}; exec "$@"`, 'sh', ...argv]
}
