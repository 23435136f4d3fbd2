// The risk of a call by what it touches: a tool says what it usually does, its target and the place say the rest. Only ever raised.
import { type Command, commandsOf, unread } from './command.ts'
import { dangerOf } from './danger.ts'
import type { Plan, Risk } from './decision.ts'
import type { Ground } from './ground.ts'
import { leavesAll } from './known.ts'
import { isSecret } from './sensitive.ts'

export type Assessed = {
  readonly risk: Risk
  readonly outward: boolean
  readonly destructive: boolean
  /** It can change files, and what it does to them can't be read from its words. */
  readonly opaque: boolean
  /** Sentences: what raised it. */
  readonly because: readonly string[]
  /** Of an exec: what it would run. */
  readonly commands: readonly Command[]
}

type Raised = { risk: Risk; outward: boolean; destructive: boolean; because: string[] }

/** Longer than this nothing is judged (decide.ts denies it). */
export const longestTarget = 100_000

export function assess(plan: Plan, ground: Ground): Assessed {
  const commands = isExec(plan.capability) ? commandsOf(plan.target) : []
  const raised: Raised = { risk: plan.risk, outward: plan.outward, destructive: plan.destructive, because: [] }
  byCapability(plan, raised)
  if (plan.capability.startsWith('fs.')) byPath(plan.target, raised)
  for (const command of commands) byCommand(command, raised, ground)
  if (raised.outward) raise(raised, 'R1')
  if (raised.destructive) raise(raised, 'R2')
  const opaque = isExec(plan.capability) && plan.onlyReads !== true && !leavesAll(commands, plan.target)
  return { ...raised, opaque, commands }
}

export function isExec(capability: string): boolean {
  return capability === 'exec' || capability.startsWith('exec.')
}

/** A path in an argument, with the person's folder in full: `~/a`, `$HOME/a`, `@/a`, `--file=/a`, `if=/a`. */
export function pathIn(argument: string, ground: Pick<Ground, 'home'>): string {
  const bare = argument.replace(/^(--?[\w-]+=|\w+=)?@?/, '')
  return bare.replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, () => ground.home || '~')
}

function byCapability({ capability, target }: Plan, raised: Raised): void {
  if (isExec(capability)) raise(raised, 'R1')
  if (capability === 'exec.network') {
    raised.outward = true
    raise(raised, 'R3', 'The command reaches the network.')
  }
  if (capability === 'web.send') {
    raised.outward = true
    raise(raised, 'R3')
  }
  if (capability === 'web.read') raised.outward = true
  if (capability.startsWith('documents.') && capability !== 'documents.read' && /(^|[/\s"])(agents|skills|prompts)\//.test(target)) {
    raise(raised, 'R4', 'It changes who the agents are and what they may do.')
  }
  if (!isExec(capability) && /\b(drop\s+(table|database|schema)|truncate\s+table)\b/i.test(target)) {
    raised.destructive = true
    raise(raised, 'R5', 'It deletes data of a database.')
  }
}

function byPath(path: string, raised: Raised): void {
  if (isSecret(path)) raise(raised, 'R4', 'The file may hold passwords or keys.')
}

function byCommand(command: Command, raised: Raised, ground: Ground): void {
  if (command.program === unread) {
    raised.destructive = true
    raise(raised, 'R4', 'It is too long, or nested too deep, to be read to its end.')
  }
  const danger = dangerOf(command)
  if (danger !== null) {
    raised.destructive ||= danger.destructive
    raise(raised, danger.risk, danger.why)
  }
  if (command.args.some((arg) => isSecret(pathIn(arg, ground))))
    raise(raised, 'R4', 'It reaches for a file that may hold passwords or keys.')
}

function raise(raised: Raised, to: Risk, why?: string): void {
  // R0 to R5 sort as texts.
  if (to > raised.risk) raised.risk = to
  if (why !== undefined && !raised.because.includes(why)) raised.because.push(why)
}
