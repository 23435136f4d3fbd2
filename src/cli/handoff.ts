// `steward handoff`: verify one envelope, check a folder of them. Needs no hub: what is read are files.
import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { InvalidInput, messageOf, NotFound } from '../base/errors.ts'
import { packageRoot } from '../base/root.ts'
import { conform, exitOf, type GateCheck } from '../work/envelope/conform.ts'
import { type Contracts, contractsOf } from '../work/envelope/contract.ts'
import type { Verified } from '../work/envelope/envelope.ts'
import { type GateMode, type GateResult, gate, gateModes } from '../work/envelope/gate.ts'
import { largestEnvelope } from '../work/envelope/json-text.ts'
import { handoffsFile, parseHandoffs, type Seat } from '../work/envelope/own-contracts.ts'
import type { PayloadAt } from '../work/envelope/places.ts'
import { edgeIn, verifyHandoff } from '../work/envelope/verify.ts'
import { type Target, targetOf } from '../work/envelope/version.ts'
import { type Call, type ExitCode, oneLine, type Result, tell } from './output.ts'

export type CheckOptions = { readonly contracts?: string; readonly target?: string }
export type VerifyOptions = CheckOptions & { readonly mode?: string }

const suffix = '.envelope.json'
const largestPayload = 64 * 1024 * 1024
const mostEnvelopes = 10_000

/** The gate; with contracts also everything that a receiver asks, and then that decides. */
export async function verifyFile(call: Call, name: string, options: VerifyOptions): Promise<Result> {
  const { mode, file, text, payload, looked } = lookAt(name, options.mode)
  const verified = options.contracts === undefined ? null : received(call, { text, payload }, { ...options, contracts: options.contracts })
  const code = codeOf(looked, verified, mode)
  const value = { file, mode, verdict: looked.verdict, why: looked.why, blocked: code === 3, ...(verified === null ? {} : { verified }) }
  const lines = [`${looked.verdict}: ${looked.why}`, ...(verified === null ? [] : toldOf(verified)), ...(code === 3 ? ['Blocked.'] : [])]
  return { value, text: lines.join('\n'), code }
}

/** An envelope's file, what the gate says of it, and where its artifact may lie. Throws NotFound, and InvalidInput for another mode. */
export function lookAt(name: string, givenMode: string | undefined) {
  const mode = modeOf(givenMode)
  const file = fileAt(name)
  const text = textOf(file)
  const payload = payloadNear(file)
  return { mode, file, text, payload, looked: gate({ envelopeText: text, envelopeName: basename(file), payload, mode }) }
}

function codeOf(looked: GateResult, verified: Verified | null, mode: GateMode): 0 | 2 | 3 {
  if (verified === null || looked.exit === 2) return looked.exit
  return !verified.ok && mode === 'block' ? 3 : 0
}

type Read = { readonly text: string; readonly payload: PayloadAt }

function received(call: Call, { text, payload }: Read, options: CheckOptions & { readonly contracts: string }): Verified {
  const edge = edgeIn(text)
  return verifyHandoff({
    envelopeText: text,
    payload: (path) => payload({ from: 'envelope', path }) ?? payload({ from: 'here', path }),
    contract: edge === null ? null : contractsIn(options.contracts).of(edge.from, edge.to),
    key: call.env['ECL_HMAC_KEY'] ?? null,
    target: targetFrom(options.target),
    now: Date.now(),
  })
}

function toldOf(verified: Verified): readonly string[] {
  if (!verified.ok) return [`${verified.code}: ${verified.why}`]
  const { route, merge, deploy } = verified.authorization
  const may = [route && 'route it on', merge && 'merge', deploy && 'deploy'].filter((one) => one !== false)
  return [
    `The receiver may take it, and without asking ${may.length === 0 ? 'do nothing more' : may.join(', ')}.`,
    ...verified.warnings.map((one) => `warning: ${one}`),
  ]
}

type Checked = { readonly file: string; readonly exit: ExitCode; readonly checks: readonly GateCheck[] }

/** Every envelope below the folder, in the order of their paths; links are not followed. */
export async function checkFolder(call: Call, name: string, options: CheckOptions): Promise<Result> {
  const top = resolve(name)
  const files = envelopesIn(top)
  const beside = join(top, 'contracts')
  const folder = options.contracts ?? (existsSync(beside) ? beside : null)
  const contractOf = folder === null ? ownContracts() : contractsIn(folder).of
  const target = targetFrom(options.target ?? declaredIn(top))
  const key = call.env['ECL_HMAC_KEY'] ?? null
  const all = files.map((file): Checked => {
    const checks = conform({ envelopeText: textOf(file), payload: payloadNear(file), contractOf, key, target })
    return { file: relative(top, file) || basename(file), exit: exitOf(checks), checks }
  })
  const code = exitOf(all.flatMap((one) => one.checks))
  return { value: { folder: top, envelopes: all, exit: code }, text: [...all.map(shown), '', sumOf(all, code)].join('\n'), code }
}

function shown({ file, exit, checks }: Checked): string {
  const open = checks.filter((one) => one.status !== 'ok')
  const head = `${exit === 0 ? 'ok  ' : exit === 4 ? 'warn' : 'FAIL'}  ${oneLine(file, 200)}`
  return [head, ...open.map(({ id, level, status, why }) => `      ${status} ${id} (${level}): ${oneLine(why ?? '', 200)}`)].join('\n')
}

function sumOf(all: readonly Checked[], code: ExitCode): string {
  const of = (exit: number) => all.filter((one) => one.exit === exit).length
  return `${all.length} envelopes: ${of(0)} kept all gates, ${of(4)} with warnings, ${of(2) + of(3)} failed (exit ${code}).`
}

// ---- files

function fileAt(name: string): string {
  const file = resolve(name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new NotFound(`There is no envelope at ${file}.`)
  return file
}

function envelopesIn(top: string): readonly string[] {
  const found = statSync(top, { throwIfNoEntry: false })
  if (found?.isFile() && top.endsWith(suffix)) return [top]
  if (!found?.isDirectory()) throw new NotFound(`There is no folder at ${top}; allowed are a folder and a file that ends with ${suffix}.`)
  const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter(isEnvelope)
  if (files.length === 0) throw new NotFound(`Below ${top} there is no file that ends with ${suffix}.`)
  if (files.length > mostEnvelopes)
    throw new InvalidInput(`Below ${top} there are more than ${mostEnvelopes} envelopes; check a part of them.`)
  return files.map((one) => join(one.parentPath, one.name)).toSorted()
}

function isEnvelope(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith(suffix)
}

/** What is no UTF-8, or larger than an envelope may be, is a text that is none: the gates say so. */
function textOf(file: string): string {
  if (statSync(file).size > largestEnvelope * 3) return ' '.repeat(largestEnvelope + 1)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch {
    return ''
  }
}

/** Plain files inside the folder of the envelope, and inside the one where the person stands, links resolved. */
function payloadNear(file: string): PayloadAt {
  return ({ from, path }) => {
    try {
      const base = realpathSync(from === 'envelope' ? dirname(file) : process.cwd())
      const full = realpathSync(join(base, path))
      const { size } = statSync(full)
      if (!full.startsWith(base.endsWith(sep) ? base : base + sep) || !statSync(full).isFile() || size > largestPayload) return null
      return readFileSync(full)
    } catch {
      return null
    }
  }
}

/** Those of the bundled agents, which a run of the hub's own is checked against: by class, and a name there is a class or has one. */
function ownContracts(): Contracts['of'] {
  const read = parseHandoffs(readText(join(packageRoot, 'bundled', handoffsFile)))
  const seat = (name: string): Seat => ({ name, class: alsoCalled[name] ?? name })
  return (from, to) => (read.ok ? read.handoffs.contract(seat(from), seat(to)) : null)
}

/** Bundled agents that are not called as their class. */
const alsoCalled: Readonly<Record<string, string>> = { spectra: 'planner', apivr: 'coder' }

/** Contracts with faults are named, and are none. */
function contractsIn(folder: string): Contracts {
  const full = resolve(folder)
  if (!statSync(full, { throwIfNoEntry: false })?.isDirectory()) throw new NotFound(`There is no folder of contracts at ${full}.`)
  const names = readdirSync(full).filter((name) => /\.ya?ml$/.test(name))
  const contracts = contractsOf(names.map((name) => ({ path: name, text: readText(join(full, name)) })))
  for (const fault of contracts.faults) tell(fault.message)
  return contracts
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new InvalidInput(`The contract ${file} can't be read: ${messageOf(error)}`, { cause: error })
  }
}

/** A folder may say in a file ECL_VERSION which version it speaks. */
function declaredIn(top: string): string | undefined {
  const file = join(top, 'ECL_VERSION')
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8').split('\n')[0]?.trim() : undefined
}

function targetFrom(version: string | undefined): Target {
  const target = targetOf(version ?? '2.0')
  if (target === null)
    throw new InvalidInput(`The version "${version}" is not known; allowed are 1.0, 1.1, 1.2, 2.0 and 2.1.`, { path: 'target' })
  return target
}

function modeOf(given: string | undefined): GateMode {
  const mode = gateModes.find((one) => one === (given ?? 'warn'))
  if (mode === undefined)
    throw new InvalidInput(`The mode "${given}" is not known; allowed are ${gateModes.join(' and ')}.`, { path: 'mode' })
  return mode
}
