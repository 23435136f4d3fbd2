// One change of a file, from what a tool wants to what was done: planned with a preview, bound to what was there, kept for an undo
// before anything happens, done whole or not at all, and recognised when the same call comes again after a crash (T10, T11).
import { basename, dirname } from 'node:path'
import type { z } from 'zod'
import { canonical } from '../../base/json.ts'
import type { Plan, Risk } from '../../policy/decision.ts'
import { defineTool, done, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'
import { clear, type Folder, openFolder, put, Stale, shift, take } from './folder.ts'
import { type Change, changeIdOf, codeOf, type Past } from './past.ts'
import { realView } from './place.ts'
import { countsOf, previewOf } from './preview.ts'
import { findTarget, isVersioned, type NoTarget, type Target } from './target.ts'

/** `after` null: the file goes. `to`: it goes there instead. `mode`: its rights, when they are not those that it has. */
export type Wanted = {
  readonly op: Change['op']
  readonly target: Target
  readonly after: Uint8Array | null
  readonly to?: Target
  readonly mode?: number | null
}

export type ChangeMeans = {
  readonly past: Past
  readonly now: () => number
  /** By which secrets are taken out of what a model reads. */
  readonly seal?: (text: string) => Promise<string>
}

type Definition<Input> = {
  readonly name: string
  readonly description: string
  readonly labels: readonly string[]
  readonly input: z.ZodType<Input>
  /** Looks only. What can't be done is told, and then nothing is. */
  readonly want: (input: Input, context: ToolContext) => Promise<Wanted | NoTarget>
}

const mostPreview = 20_000
const mostShown = 6_000

export function changeTool<Input>(means: ChangeMeans, { want, ...definition }: Definition<Input>): Tool {
  return defineTool({
    ...definition,
    capability: 'fs.write',
    effect: 'idempotent',
    needsRoots: true,
    risk: 'R1',
    taint: 'content',
    plan: async (input, context) => planOf(await want(input, context), input, context),
    async run(input, context) {
      const id = changeIdOf(canonical({ tool: definition.name, input, key: context.key }))
      const again = await repeated(means, id, context)
      if (again !== null) return again
      const wanted = await want(input, context)
      if ('why' in wanted) return refused(wanted.code, wanted.why)
      if (context.binding !== undefined && context.binding !== bindingOf(wanted)) return stale(wanted)
      if (isSame(wanted)) return done(`${wanted.target.shown} has exactly this content already; nothing was changed.`)
      return carryOut(means, { id, wanted, context })
    },
  })
}

/** A call that can't be done, or changes nothing, is planned as what it is: nothing happens, and no person is asked about it. */
async function planOf(wanted: Wanted | NoTarget, input: unknown, context: ToolContext): Promise<Omit<Plan, 'tool' | 'capability'>> {
  const usual = { outward: false, destructive: false }
  if ('why' in wanted) {
    return {
      ...usual,
      target: canonical(input).slice(0, 500),
      risk: 'R0',
      consequences: 'Nothing: it can not be done.',
      binding: bindingOf(wanted),
    }
  }
  const { target, to } = wanted
  if (isSame(wanted)) {
    const consequences = `Nothing: ${target.shown} has exactly this content already.`
    return { ...usual, target: target.real, risk: 'R0', consequences, binding: bindingOf(wanted) }
  }
  const undo = 'What was there is kept and can be brought back.'
  const preview = to ? `${target.shown} -> ${to.shown}` : previewOf(versionsOf(wanted), mostPreview)
  const byItself = [target, to].find((one) => one && runsByItself(one.real))
  const warning = byItself ? ` ${byItself.shown} may be run by a program by itself later.` : ''
  return {
    ...usual,
    target: target.real,
    ...(to ? { also: [to.real] } : {}),
    risk: byItself ? 'R2' : await riskOf(wanted, context),
    consequences: `${verbs[wanted.op]} ${target.shown}${to ? ` to ${to.shown}` : ''}. ${undo}${warning}`,
    preview,
    binding: bindingOf(wanted),
  }
}

const verbs: Readonly<Record<Change['op'], string>> = {
  write: 'Writes',
  edit: 'Changes',
  delete: 'Deletes',
  move: 'Moves',
  undo: 'Takes back a change of',
}

/** R1 where the person has a second way back: new files, and folders under version control. */
async function riskOf({ op, target, to }: Wanted, context: ToolContext): Promise<Risk> {
  if (op === 'undo') return 'R1'
  if (op === 'delete') return 'R2'
  if (target.present.kind === 'none') return 'R1'
  const all = [target, ...(to ? [to] : [])]
  const versioned = await Promise.all(all.map((one) => isVersioned(one.real, context)))
  return versioned.every((one) => one) ? 'R1' : 'R2'
}

/** Files that editors, shells and build servers run without being asked. */
function runsByItself(real: string): boolean {
  return /(^|\/)(\.envrc|\.gitmodules|\.gitattributes|\.npmrc|\.gitlab-ci\.yml|Jenkinsfile|\.pre-commit-config\.yaml|\.(github|husky|vscode|idea|devcontainer|circleci|ci|githooks)(\/.*)?)$/i.test(
    real,
  )
}

/** Of what the plan was made from: other bytes, another binding. */
function bindingOf(wanted: Wanted | NoTarget): string {
  if ('why' in wanted) return `fault:${wanted.code}`
  const state = ({ present }: Target) => (present.kind === 'file' ? present.hash : present.kind)
  return [state(wanted.target), ...(wanted.to ? [state(wanted.to)] : [])].join(' ')
}

function versionsOf({ target, after }: Wanted) {
  const { present, shown } = target
  return { shown, before: present.kind === 'file' ? present.bytes : null, after }
}

function isSame({ target: { present }, after, to }: Wanted): boolean {
  if (to) return false
  return present.kind === 'file' ? after !== null && Buffer.compare(present.bytes, after) === 0 : present.kind === 'none' && after === null
}

function stale({ target }: Wanted): Outcome {
  return refused('stale', `${target.shown} was changed after it was looked at; nothing was done. Read it again.`)
}

type Doing = { readonly id: string; readonly wanted: Wanted; readonly context: ToolContext }

async function carryOut({ past, now }: ChangeMeans, { id, wanted, context }: Doing): Promise<Outcome> {
  const { op, target, after, to } = wanted
  const { present } = target
  const { user, project, session } = context.process
  const before = present.kind === 'file' ? await past.keep(present.bytes) : null
  const kept = to ? before : after === null ? null : await past.keep(after)
  const where = { path: target.real, to: to?.real ?? null, mode: present.kind === 'file' ? present.mode : null }
  try {
    await past.record({ id, at: now(), user, project, session, op, ...where, before, after: kept })
    await perform(wanted, context, id)
  } catch (thrown) {
    if (thrown instanceof Stale || movedAway.includes(codeOf(thrown))) return stale(wanted)
    return unwritable(thrown, target.shown)
  }
  return told(wanted, id)
}

async function perform({ target, after, to, mode }: Wanted, context: ToolContext, key: string): Promise<void> {
  const view = await realView(context)
  const { present } = target
  const folder = await openFolder(dirname(target.real), present.kind === 'none' ? target.base : dirname(target.real), view)
  const name = basename(target.real)
  try {
    if (to)
      await inFolder(await openFolder(dirname(to.real), to.base, view), (goal) =>
        shift({ folder, name }, { folder: goal, name: basename(to.real) }),
      )
    else if (after === null) await take(folder, name, { expects: present.kind === 'file' ? present.hash : '', key })
    else {
      const file = present.kind === 'file' ? present : null
      await put(folder, name, { bytes: after, expects: file?.hash ?? null, mode: mode ?? file?.mode ?? null, key })
    }
  } finally {
    await folder.close()
  }
}

async function inFolder(folder: Folder, work: (folder: Folder) => Promise<void>): Promise<void> {
  try {
    await work(folder)
  } finally {
    await folder.close()
  }
}

function told(wanted: Wanted, id: string): Outcome {
  const { op, target, to } = wanted
  const undo = `Undo: file_undo {"id": "${id}"}`
  if (to) return done(`Moved ${target.shown} to ${to.shown}. ${undo}`, { read: [target.real], wrote: [to.real, target.real] })
  const read = target.present.kind === 'file' ? { read: [target.real] } : {}
  const wrote = [target.real]
  if (op === 'delete') return done(`Deleted ${target.shown}. ${undo}`, { ...read, wrote })
  const preview = previewOf(versionsOf(wanted), mostPreview)
  const what = target.present.kind === 'none' ? 'Made' : op === 'undo' ? 'Brought back' : 'Changed'
  const shown = target.present.kind === 'none' || preview.length > mostShown ? '' : `\n${preview}`
  return done(`${what} ${target.shown} (${countsOf(preview)}). ${undo}${shown}`, { ...read, wrote })
}

/** The call was made before, and what it left is still there: it is not done twice. */
async function repeated({ past }: ChangeMeans, id: string, context: ToolContext): Promise<Outcome | null> {
  const made = await past.find(id)
  if (made === null) return null
  const target = await findTarget(made.to ?? made.path, context)
  if ('why' in target) return null
  const { present } = target
  const state = present.kind === 'file' ? present.hash : null
  const isThere = made.to === null || present.kind !== 'none'
  if (state !== made.after || !isThere) return null
  await tidy(target, id, context)
  const undo = `Undo: file_undo {"id": "${id}"}`
  return done(`${target.shown} was changed so already. ${undo}`, {
    read: [target.real],
    wrote: made.to === null ? [made.path] : [made.to, made.path],
  })
}

/** A change that a crash cut short may have left its half beside the file. */
async function tidy({ real, base }: Target, id: string, context: ToolContext): Promise<void> {
  try {
    await inFolder(await openFolder(dirname(real), base, await realView(context)), (folder) => clear(folder, id))
  } catch (thrown) {
    if (!(thrown instanceof Stale || movedAway.includes(codeOf(thrown)))) throw thrown
  }
}

/** The folder itself was taken away, or something else stands in its place. */
const movedAway: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EEXIST', 'EISDIR', 'ESTALE']

const faults: Readonly<Record<string, string>> = {
  EACCES: 'may not be changed by this program',
  EPERM: 'may not be changed by this program',
  EROFS: 'lies on a disk that can only be read',
  ENOSPC: 'could not be written: the disk is full',
  EDQUOT: 'could not be written: the disk quota is used up',
  EXDEV: 'lies on another disk than its new place; copy it with a command instead',
  ENAMETOOLONG: 'has a longer name than is allowed',
  ENOTEMPTY: 'is a folder with files in it',
}

/** Nothing was changed: each way in ends with one rename or link. A throw that is none of these is a bug. */
function unwritable(thrown: unknown, shown: string): Outcome {
  const what = faults[codeOf(thrown)]
  if (what === undefined) throw thrown
  return refused('unwritable', `${shown} ${what}.`)
}
