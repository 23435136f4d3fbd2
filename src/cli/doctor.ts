// `steward doctor`: looks at everything that can be wrong, and says how to mend it. Works with and without a running hub.

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { homeFolders, readRuntime } from '../base/home.ts'
import { type Config, inspectConfig } from '../config.ts'
import { doctor as doctorShape, type Finding } from '../protocol/api.ts'
import { type Hub, hubAt } from './hub.ts'
import { type Call, exitCodes, type Result } from './output.ts'

const neededNode = 24
const lowBytes = 500 * 1024 * 1024
const veryLowBytes = 50 * 1024 * 1024

export async function doctor(call: Call): Promise<Result> {
  const { config, problems } = await inspectConfig({ env: call.env, home: call.home })
  const runtime = readRuntime(config.home)
  const hub = runtime && hubAt(config.home, runtime)
  const own = [node(), settingsOf(config, problems), home(config.home), await disk(config.home), trust(config)]
  const asked = hub && (await askHub(hub))
  const items = asked ? merge(own, asked) : [...own, ...(await withoutHub(config, hub !== null))]
  const worst = items.some((one) => one.status === 'fail') ? 'fail' : items.some((one) => one.status === 'warn') ? 'warn' : 'ok'
  return { value: { status: worst, items }, text: items.map(asText).join('\n'), code: worst === 'fail' ? exitCodes.failed : exitCodes.done }
}

/** null: nobody answers. */
async function askHub(hub: Hub): Promise<readonly Finding[] | null> {
  try {
    const { items } = await hub.call('GET', '/api/doctor', doctorShape)
    return [{ name: 'hub', status: 'ok', detail: `runs as process ${hub.runtime.pid} at ${hub.runtime.address}` }, ...items]
  } catch {
    return null
  }
}

/** What the hub found about the same thing counts more: it looked from inside. */
function merge(own: readonly Finding[], asked: readonly Finding[]): readonly Finding[] {
  return [...own.filter((one) => !asked.some((other) => other.name === one.name)), ...asked]
}

async function withoutHub(config: Config, hasNote: boolean): Promise<readonly Finding[]> {
  const notRunning: Finding = hasNote
    ? { name: 'hub', status: 'warn', detail: 'it ended without saying so, or does not answer', mend: 'Start it again with: steward start' }
    : { name: 'hub', status: 'warn', detail: 'it does not run', mend: 'Start it with: steward start' }
  const { inspectOffline } = await import('../doctor.ts')
  return [notRunning, await portFree(config), ...(await inspectOffline(config))]
}

function node(): Finding {
  const { node: version } = process.versions
  if (Number(version.split('.')[0]) >= neededNode) return { name: 'node', status: 'ok', detail: `Node ${version}` }
  return {
    name: 'node',
    status: 'fail',
    detail: `Node ${version} is too old`,
    mend: `Start Steward by its own program (bin/steward.js), which brings Node ${neededNode}.`,
  }
}

function settingsOf(config: Config, problems: readonly string[]): Finding {
  const wrong = [...problems, ...config.warnings]
  if (wrong.length === 0) return { name: 'settings', status: 'ok', detail: 'all of them can be used' }
  return {
    name: 'settings',
    status: problems.length > 0 ? 'fail' : 'warn',
    detail: wrong.join(' '),
    mend: 'Look at them with: steward config',
  }
}

function home(folder: string): Finding {
  const name = 'data folder'
  if (!existsSync(folder))
    return { name, status: 'warn', detail: `${folder} does not exist`, mend: 'The first start makes it: steward start' }
  const open = [folder, ...privatePaths(folder)].filter((path) => (statSync(path).mode & 0o077) !== 0)
  const [first] = open
  if (first !== undefined && process.platform !== 'win32') {
    return {
      name,
      status: 'warn',
      detail: `${open.length} of its files or folders can be opened by others, for example ${first}`,
      mend: `chmod -R go-rwx ${folder}`,
    }
  }
  try {
    accessSync(folder, constants.W_OK)
    return { name, status: 'ok', detail: folder }
  } catch (error) {
    return {
      name,
      status: 'fail',
      detail: `${folder} can't be written: ${messageOf(error)}`,
      mend: 'Give it back to yourself, or mount it writable.',
    }
  }
}

/** What Steward itself makes there; what the person puts into the vault has the person's modes. */
function privatePaths(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('steward.') || name === 'runtime.json')
  return [...homeFolders.filter((name) => existsSync(join(folder, name))), ...files].map((name) => join(folder, name))
}

async function disk(folder: string): Promise<Finding> {
  const name = 'disk space'
  try {
    const { bavail, bsize } = await statfs(existsSync(folder) ? folder : '/')
    const free = bavail * bsize
    const detail = `${Math.round(free / 1024 / 1024)} MB free at ${folder}`
    if (free > lowBytes) return { name, status: 'ok', detail }
    return { name, status: free > veryLowBytes ? 'warn' : 'fail', detail, mend: 'Make room: without it nothing new can be kept.' }
  } catch (error) {
    return { name, status: 'warn', detail: `it can't be found out: ${messageOf(error)}` }
  }
}

function trust(config: Config): Finding {
  if (!config.trustLoopback) return { name: 'trust loopback', status: 'ok', detail: 'only with a login, a token, or through the socket' }
  const detail = 'STEWARD_TRUST_LOOPBACK is on: every program on this machine can act as you'
  return { name: 'trust loopback', status: 'warn', detail, mend: 'Unset STEWARD_TRUST_LOOPBACK; it is for development and tests.' }
}

function portFree({ host, port }: Config): Promise<Finding> {
  const name = 'port'
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', (error) => {
      const mend = 'End the program that has it, or choose another with STEWARD_PORT (0 takes a free one).'
      resolve({ name, status: 'fail', detail: `${host}:${port} can't be used: ${error.message}`, mend })
    })
    server.listen(port, host, () => server.close(() => resolve({ name, status: 'ok', detail: `${host}:${port} is free` })))
  })
}

const marks = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const

function asText({ name, status, detail, mend }: Finding): string {
  const told = detail.replaceAll('\n', '\n      ')
  return `${marks[status]}  ${name}: ${told}${mend && status !== 'ok' ? `\n      ${mend}` : ''}`
}
