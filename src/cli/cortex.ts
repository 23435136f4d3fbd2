// `steward cortex`: the table of who does what for a host model, and its section in files such as AGENTS.md or CLAUDE.md.
import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Conflict, messageOf } from '../base/errors.ts'
import { type CortexView, cortexView } from '../protocol/api-routing.ts'
import { sectionIn, withoutSection, withSection } from './embedded.ts'
import { findHub } from './hub.ts'
import { type Call, exitCodes, type Result, tell, WrongUsage } from './output.ts'

export type CortexOptions = {
  readonly project?: string
  readonly embed?: readonly string[]
  readonly remove?: string
  readonly check?: string
}

/** One of the three at a time; without any it prints the table. */
export async function cortex(call: Call, { project, embed, remove, check }: CortexOptions): Promise<Result> {
  if ([embed, remove, check].filter((one) => one !== undefined).length > 1) {
    throw new WrongUsage('--embed, --remove and --check are three things; allowed is one of them at a time.')
  }
  if (remove !== undefined) return removed(remove)
  const view = await (await findHub(call)).call('GET', '/api/cortex', cortexView, { query: { project } })
  if (embed !== undefined) return embedded(view, embed)
  if (check !== undefined) return checked(view, check)
  tell(`${view.tokens} of ${view.mostTokens} tokens by estimate, ${view.quarters} of ${view.mostQuarters} by characters / 4.`)
  return { value: view, text: view.text }
}

type Action = 'created' | 'updated' | 'same' | 'removed'
type Done = { readonly file: string; readonly action: Action }

/** All files are looked at before the first one is written. */
async function embedded(view: CortexView, names: readonly string[]): Promise<Result> {
  const plans = new Map<string, Plan>()
  for (const name of names) {
    const plan = await planFor(name, (content) => withSection(content, view.text))
    if (!plans.has(plan.real)) plans.set(plan.real, plan)
  }
  const files: Done[] = []
  for (const plan of plans.values()) files.push(await carriedOut(plan, plan.found === null ? 'created' : 'updated'))
  return { value: { ...view, files }, text: files.map(lineOf).join('\n') }
}

async function removed(name: string): Promise<Result> {
  const plan = await planFor(name, (content) => withoutSection(content ?? ''))
  const done: Done = plan.found === null ? { file: name, action: 'same' } : await carriedOut(plan, 'removed')
  return { value: { files: [done] }, text: done.action === 'same' ? `${name} has no such section.` : lineOf(done) }
}

async function checked({ text }: CortexView, name: string): Promise<Result> {
  const { found, change } = await planFor(name, (content) => sectionIn(content ?? '') ?? '')
  const isThere = found !== null && sectionIn(found.content) !== null
  const state = !isThere ? 'missing' : change === text ? 'current' : 'stale'
  const mend = `Mend it with: steward cortex --embed ${name}`
  const sentences = {
    current: `The section in ${name} is as it should be.`,
    stale: `The section in ${name} is not what the agents of today give. ${mend}`,
    missing: `${name} has no such section. ${mend}`,
  }
  return { value: { file: name, state }, text: sentences[state], code: state === 'current' ? exitCodes.done : exitCodes.failed }
}

function lineOf({ file, action }: Done): string {
  const said = { created: 'was made', updated: 'has the table now', same: 'has it already', removed: 'is without the table now' }
  return `${file} ${said[action]}.`
}

type Found = { readonly content: string; readonly about: Stats }
type Plan = {
  readonly name: string
  /** Behind links. */
  readonly real: string
  readonly found: Found | null
  readonly change: string
}

/** Throws Conflict that names the file; changes nothing. */
async function planFor(name: string, change: (content: string | null) => string): Promise<Plan> {
  try {
    const real = await realOf(resolve(name))
    const found = await read(real)
    return { name, real, found, change: change(found?.content ?? null) }
  } catch (thrown) {
    throw new Conflict(`${name}: ${messageOf(thrown)}. Nothing was changed.`, { cause: thrown })
  }
}

async function realOf(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(missing))?.isSymbolicLink() === true
  const real = await realpath(path).catch(missing)
  if (real !== null) return real
  if (isLink) throw new Error('it is a link to a file that is not there')
  const folder = await realpath(dirname(path)).catch(missing)
  if (folder === null) throw new Error(`there is no folder ${dirname(path)}`)
  return join(folder, basename(path))
}

const largest = 1_048_576

/** null: it is not there. */
async function read(real: string): Promise<Found | null> {
  const about = await stat(real).catch(missing)
  if (about === null) return null
  if (!about.isFile()) throw new Error('it is no plain file')
  if (about.size > largest) throw new Error(`it has ${about.size} bytes; allowed are ${largest}`)
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { content: decoded(await file.readFile()), about }
  } finally {
    await file.close()
  }
}

function decoded(bytes: Uint8Array): string {
  if (bytes.includes(0)) throw new Error('it is binary: it has a zero byte')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error('it is not UTF-8', { cause })
  }
}

async function carriedOut({ name, real, found, change }: Plan, action: Action): Promise<Done> {
  if (found?.content === change) return { file: name, action: 'same' }
  try {
    await replace(real, change, found?.about ?? null)
  } catch (thrown) {
    throw new Conflict(`${name}: ${messageOf(thrown)}. It is as it was.`, { cause: thrown })
  }
  return { file: name, action }
}

/** A file of its own beside it takes its place whole: whoever is killed in between leaves the old one or the new one. */
async function replace(real: string, content: string, before: Stats | null): Promise<void> {
  await removeLeft(real)
  const beside = join(dirname(real), `${leftName(real)}${process.pid}.part`)
  const file = await open(beside, 'wx', 0o666)
  try {
    await file.writeFile(content, 'utf8')
    if (before !== null) await likeBefore(file, before)
    await file.sync()
    await file.close()
    if (isOther(await stat(real).catch(missing), before)) throw new Error('somebody else has changed it in the meantime; try again')
    await rename(beside, real)
  } catch (thrown) {
    await file.close().catch(() => undefined)
    await rm(beside, { force: true })
    throw thrown
  }
}

function leftName(real: string): string {
  return `.${basename(real).slice(0, 100)}.steward-`
}

/** What one that was killed has left beside it. */
async function removeLeft(real: string): Promise<void> {
  const start = leftName(real)
  for (const name of await readdir(dirname(real))) {
    if (!name.startsWith(start) || !name.endsWith('.part')) continue
    const pid = Number(name.slice(start.length, -'.part'.length))
    if (Number.isInteger(pid) && pid > 0 && (pid === process.pid || !isAlive(pid))) await rm(join(dirname(real), name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

type Open = Awaited<ReturnType<typeof open>>

async function likeBefore(file: Open, { mode, uid, gid }: Stats): Promise<void> {
  const now = await file.stat()
  if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid)
  await file.chmod(mode & 0o7777)
}

function isOther(now: Stats | null, before: Stats | null): boolean {
  if (now === null || before === null) return now !== before
  return now.ino !== before.ino || now.size !== before.size || now.mtimeMs !== before.mtimeMs
}

function missing(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null
  throw thrown
}
