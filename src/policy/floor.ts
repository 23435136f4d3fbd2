// The floor: what never happens, whoever asks and whatever was granted. Listed in docs/spec.md under D3.
import { type Assessed, isExec, pathIn } from './assess.ts'
import { isForkBomb, neverRun } from './danger.ts'
import type { Plan, RuleRef } from './decision.ts'
import type { Ground } from './ground.ts'
import { isDevice, isInside, isPrivateKey, isSecret, isSystem } from './sensitive.ts'

type Check = {
  readonly id: string
  readonly text: string
  readonly forbids: (plan: Plan, ground: Ground, assessed: Assessed) => boolean
}

/** The first that forbids it; null when the floor says nothing. */
export function floorOf(plan: Plan, ground: Ground, assessed: Assessed): RuleRef | null {
  const found = checks.find((check) => check.forbids(plan, ground, assessed))
  return found === undefined ? null : { id: `floor.${found.id}`, level: 'floor', text: found.text }
}

const isFs = (plan: Plan) => plan.capability.startsWith('fs.')
const isWriting = (plan: Plan) => isFs(plan) && plan.capability !== 'fs.read'

const checks: readonly Check[] = [
  {
    id: 'hub-folder',
    text: "Nobody reads or writes the hub's own folder with files and commands.",
    forbids: (plan, ground, assessed) =>
      touched(plan, ground, assessed).some((path) => ground.closed.some((folder) => isInside(path, folder))),
  },
  {
    id: 'hub-door',
    text: "Agents don't talk to the hub's own port or socket: that would be acting as its owner.",
    forbids: reachesHub,
  },
  {
    id: 'own-rights',
    text: 'No agent changes rules, grants, approvals, logins or secrets: nobody widens what they may do themselves.',
    forbids: ({ capability, target }) =>
      /^(policy|grants|approvals|people|users|tokens|logins|secrets)\.(?!list$)/.test(capability) ||
      (/^documents\.(?!read$)/.test(capability) && /(^|[/"\s])policy\.ya?ml("|\s|$)/i.test(target)) ||
      (/^settings\.(?!read$)/.test(capability) && /(^|["\s])policy\./.test(target)),
  },
  {
    id: 'devices',
    text: 'Device files and the memory of programs are not files to read or write.',
    forbids: (plan, ground, assessed) =>
      isFs(plan)
        ? isDevice(plan.target) || isInside(plan.target, '/proc')
        : assessed.commands.some((one) => one.args.some((arg) => isDevice(pathIn(arg, ground)))),
  },
  {
    id: 'never-run',
    text: 'Commands that take a disk, a system folder or a home, or that change the machine under the sandbox, are never run.',
    forbids: (_plan, ground, { commands }) => commands.some((command) => neverRun(expanded(command, ground), ground.home) !== null),
  },
  {
    id: 'fork-bomb',
    text: 'A program that only starts itself again is never run.',
    forbids: (plan) => isExec(plan.capability) && isForkBomb(plan.target),
  },
  {
    id: 'private-keys',
    text: 'Private keys never leave the machine.',
    forbids: sendsKey,
  },
  {
    id: 'no-path',
    text: 'A file that is changed is named by its real path.',
    forbids: (plan) =>
      isWriting(plan) &&
      plan.risk !== 'R0' &&
      (!plan.target.startsWith('/') || /(^|\/)\.{1,2}(\/|$)/.test(plan.target) || plan.target.includes('\0')),
  },
  {
    id: 'roots',
    text: "Files are read and written inside the project's folders only.",
    forbids: (plan, { roots }) =>
      isFs(plan) && roots !== null && plan.target.startsWith('/') && !roots.some((root) => isInside(plan.target, root)),
  },
  {
    id: 'secret-files',
    text: 'Files that hold keys or passwords, that belong to the system, or that programs run by themselves later are not written.',
    forbids: (plan, ground, { commands }) =>
      isWriting(plan)
        ? isSecret(plan.target) || isSystem(plan.target)
        : commands.some(({ program, args, writes }) => written(program, args, writes).some((arg) => isGuarded(pathIn(arg, ground)))),
  },
]

/** What a command surely writes: redirections, and the last argument of what copies. */
function written(program: string, args: readonly string[], writes: readonly string[]): readonly string[] {
  if (program === 'tee') return [...writes, ...args]
  return /^(cp|mv|install|ln|rsync|scp)$/.test(program) ? [...writes, ...args.slice(-1)] : writes
}

function isGuarded(path: string): boolean {
  return !/^\/dev\//.test(path) && (isSecret(path) || isSystem(path))
}

function touched(plan: Plan, ground: Ground, { commands }: Assessed): readonly string[] {
  if (isFs(plan)) return [plan.target]
  if (!isExec(plan.capability)) return []
  return commands.flatMap(({ args, writes }) => [...args, ...writes].flatMap((arg) => pathsIn(arg, ground)))
}

/** Also inside a longer word: a script in an interpreter's argument names its files somewhere in the middle. */
function pathsIn(arg: string, ground: Ground): readonly string[] {
  const inside = ground.closed.filter((folder) => arg.includes(folder))
  return [pathIn(arg, ground), ...inside]
}

function reachesHub(plan: Plan, ground: Ground, { commands }: Assessed): boolean {
  const isWeb = plan.capability.startsWith('web.') || plan.outward
  if (!isWeb && !isExec(plan.capability)) return false
  const text = plan.target.toLowerCase()
  if (ground.sockets.some((socket) => plan.target.includes(socket))) return true
  if (ground.addresses.some((address) => endsAt(text, address))) return true
  // The hub's own program speaks for its owner.
  return commands.some(({ program }) => program === 'steward')
}

/** `:4180` and nothing that goes on: `:41800` is another port. */
function endsAt(text: string, address: string): boolean {
  return text.split(address).some((rest, at) => at > 0 && !/^[\w.]/.test(rest))
}

function sendsKey(plan: Plan, ground: Ground, assessed: Assessed): boolean {
  if (!assessed.outward) return false
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(`${plan.target}\n${plan.preview ?? ''}`)) return true
  return assessed.commands.some(({ program, args }) =>
    args.some((arg, at) => {
      const isIdentity = /^(ssh|scp|sftp|git|rsync)$/.test(program) && args[at - 1] === '-i'
      return !isIdentity && isPrivateKey(pathIn(arg, ground))
    }),
  )
}

function expanded(command: Assessed['commands'][number], ground: Ground): Assessed['commands'][number] {
  const full = (arg: string) => arg.replace(/^(\$HOME|\$\{HOME\})(?=\/|$)/, () => ground.home || '~')
  return { ...command, args: command.args.map(full) }
}
