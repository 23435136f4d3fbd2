// `steward start`: the hub. Prints one line with the address of the web page; everything else goes to standard error.

import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../base/clock.ts'
import { AlreadyOpen, InvalidInput, messageOf } from '../base/errors.ts'
import { makeHome, readRuntime } from '../base/home.ts'
import { type Log, type ScrubbedLog, scrubbed } from '../base/log.ts'
import { type Config, loadConfig } from '../config.ts'
import { loginCode } from '../protocol/api.ts'
import { hubAt } from './hub.ts'
import { logFile, makeLog } from './log.ts'
import { type Call, type Result, tell } from './output.ts'

/** A stop takes no longer than this; what is then still under way is done again at the next start. */
const stopWithinMs = 4_500
const logBytes = 10 * 1024 * 1024
const logFiles = 5

/** Returns when the hub has stopped, or at once when one runs already. */
export async function start(call: Call): Promise<Result> {
  const config = await loadConfig({ env: call.env, home: call.home })
  checkWritable(config.home)
  const narrowed = makeHome(config.home)
  const scrubbing = scrubbed(hubLog(config))
  const { log } = scrubbing
  for (const sentence of [...config.warnings, ...narrowed]) log('warn', sentence)
  guard(log)
  try {
    return await run(call, config, scrubbing)
  } catch (error) {
    if (error instanceof AlreadyOpen) return addressOfRunning(config.home, error)
    log('error', 'Steward could not start', { error: messageOf(error) })
    endSoon()
    throw error
  }
}

async function run(call: Call, config: Config, { log, scrubWith }: ScrubbedLog): Promise<Result> {
  const signals = listen()
  const { openSteward } = await import('../steward.ts')
  const steward = await openSteward(config, { log, onScrub: scrubWith })
  const url = `${steward.address}/#code=${await steward.newCode()}`
  // The one line is written while the hub runs, so it can't be the command's result.
  process.stdout.write(
    call.json ? `${JSON.stringify({ address: steward.address, url, pid: process.pid, home: config.home })}\n` : `${url}\n`,
  )
  const reason = await signals
  log('info', 'Steward stops', { reason })
  const late = setTimeout(() => process.exit(1), stopWithinMs)
  await steward.close()
  clearTimeout(late)
  log('info', 'Steward has stopped')
  endSoon()
  return { value: undefined, text: '' }
}

/** What is left of timers and sockets of libraries must not keep the process. */
function endSoon(): void {
  setTimeout(() => process.exit(), 200).unref()
}

/** Throws InvalidInput for a folder that is there and takes nothing. */
function checkWritable(home: string): void {
  if (!existsSync(home)) return
  try {
    accessSync(home, constants.W_OK)
  } catch (error) {
    const reason = messageOf(error).split(',')[0]
    throw new InvalidInput(`${home} can't be written (${reason}). Make it writable, or choose another folder with STEWARD_HOME.`, {
      path: 'STEWARD_HOME',
      cause: error,
    })
  }
}

function hubLog(config: Config): Log {
  return makeLog({
    level: config.log,
    now: systemClock.now,
    human: process.stderr.isTTY === true,
    write: (line) => void process.stderr.write(line),
    file: logFile({ path: join(config.home, 'logs', 'steward.log'), maxBytes: logBytes, keep: logFiles }),
  })
}

/** The first signal asks for a stop in good order, the second ends the process at once. */
function listen(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130)
        asked = true
        resolve(signal)
      })
    }
  })
}

/** A bug ends the process: everything acknowledged is in the journal, and the next start goes on from there. */
function guard(log: Log): void {
  const end = (error: unknown): never => {
    log('error', 'Steward ends because of a fault of its own', {
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : '',
    })
    process.exit(1)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
  process.stderr.on('error', () => {})
}

/** A hub that is just starting has no note yet, so it is asked for a while. */
async function addressOfRunning(home: string, error: AlreadyOpen): Promise<Result> {
  for (let tries = 0; tries < 50; tries++) {
    const found = await newCode(home).catch(() => null)
    if (found !== null) {
      tell(`Steward already runs on ${home}. Its address with a new code:`)
      return { value: { ...found, home, running: true }, text: found.url }
    }
    await pause(100)
  }
  throw error
}

type Running = { readonly address: string; readonly url: string; readonly pid: number }

async function newCode(home: string): Promise<Running | null> {
  const runtime = readRuntime(home)
  if (runtime === null) return null
  const { code } = await hubAt(home, runtime).call('POST', '/api/codes', loginCode)
  return { address: runtime.address, url: `${runtime.address}/#code=${code}`, pid: runtime.pid }
}
