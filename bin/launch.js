/**
 * Finds a Node that can run Steward's sources and starts a program under it. Plain JavaScript: it must run on Node 20.19.
 *
 * Order: this process when it is new enough; the Node that came with the project (an npm package); a newer `node` on PATH.
 * When there is none it says so in one sentence and exits 1. It never goes on under an older Node.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24

/** Absolute path of the package. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** True when this very process can run the sources. */
export function isNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR
}

/**
 * Runs `script` with `args` under a Node that is new enough and ends this process as the child ended.
 * Call it only when `isNewEnough()` is false.
 */
export function restart(script, args) {
  if (process.env.STEWARD_LAUNCHED === '1') return giveUp() // what we were started under is not what it said it was
  startFirst(candidates(), script, args)
}

/** Tries one Node after the other: a binary that cannot even start (wrong libc) is passed over. */
function startFirst(nodes, script, args) {
  const next = nodes.next()
  if (next.done) return giveUp()
  const child = spawn(next.value, [...process.execArgv, script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, STEWARD_LAUNCHED: '1' },
  })
  child.once('error', () => startFirst(nodes, script, args))
  child.once('spawn', () => child.removeAllListeners('error').on('error', () => {}))
  follow(child)
}

/** Signals go down to the child, its end comes up. */
function follow(child) {
  const forward = (signal) => {
    // In a terminal Ctrl-C already reaches the whole foreground group; a second one would mean "now, at once".
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  child.once('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal === null) process.exit(code ?? 1)
    process.kill(process.pid, signal)
    // Still here: the signal does not end a process by default.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 50)
  })
}

/**
 * For the child: when its launcher was killed in a way that could not be forwarded, end as hard. A hub that goes on alone would
 * hold the data folder while the person believes that it is dead.
 */
export function dieWithLauncher() {
  if (process.env.STEWARD_LAUNCHED !== '1') return
  delete process.env.STEWARD_LAUNCHED
  if (!process.channel) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref()
}

function* candidates() {
  const own = projectNode()
  if (own) yield own
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = folder && join(folder, executable())
    if (file && file !== own && existsSync(file) && majorOf(file) >= NEEDED_MAJOR) yield file
  }
}

/** The Node that npm installed for this platform, hoisted or not; undefined when it is missing. */
function projectNode() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  try {
    const folder = dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`))
    const file = join(folder, 'bin', executable())
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}

function executable() {
  return process.platform === 'win32' ? 'node.exe' : 'node'
}

function majorOf(file) {
  const asked = spawnSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8', timeout: 5000 })
  return asked.status === 0 ? Number(asked.stdout.split('.')[0]) : 0
}

function giveUp() {
  process.stderr.write(
    `Steward needs Node ${NEEDED_MAJOR} or newer and this is ${process.versions.node}: the package node-${process.platform}-${process.arch} ` +
      `is not installed (run "npm ci" without --omit=optional) and no newer "node" is on the PATH.\n`,
  )
  process.exit(1)
}
