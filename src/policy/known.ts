// Commands of which their words say that they leave all that is there in place. All others (scripts, interpreters, builds, programs
// of the project, whatever hides behind a variable) may do anything that their sandbox lets them, so a yes is wanted for them once
// something was read that may have ordered it (D7). Only ever a reason to ask.
import type { Command } from './command.ts'

type Test = (args: readonly string[]) => boolean

const always: Test = () => true
const without =
  (pattern: RegExp): Test =>
  (args) =>
    !args.some((arg) => pattern.test(arg))

const rows: readonly (readonly [programs: string, test: Test])[] = [
  ['ls cat head tail wc nl tac rev cut tr paste join comm fold column stat du df pwd cd which whoami id uname date sleep', always],
  ['echo printf true false test [ : seq basename dirname realpath readlink printenv ps mkdir touch', always],
  ['md5sum sha1sum sha256sum sha512sum cksum cmp diff grep egrep fgrep jq od hexdump strings', always],
  ['sort', without(/^(-[a-zA-Z]*o|--o|--compress|-T)/)],
  ['uniq', (args) => args.every((arg) => arg.startsWith('-'))],
  ['tree', without(/^-[a-zA-Z]*o/)],
  ['find', without(/^-(delete|fprint|fprint0|fprintf|fls|exec|execdir|ok|okdir)$/)],
  ['rg', without(/^--(pre|hostname-bin)/)],
  ['file', without(/^(-[a-zA-Z]*C|--compile)/)],
  ['sed', ([option, script = '', ...files]) => option === '-n' && /^[\d,$]*p$/.test(script) && without(/^-/)(files)],
  ['git', readsOnly],
  // They run other commands, which stand for themselves.
  ['env nice nohup time timeout command', ([first = '']) => !first.startsWith('-')],
  ['sh bash dash', isPlain],
] // biome-ignore format: a table reads better with a row a line

const byProgram: ReadonlyMap<string, Test> = new Map(rows.flatMap(([programs, test]) => programs.split(' ').map((name) => [name, test])))

const silent = /^\/dev\/(null|stdout|stderr)$/
/** What is nested deeper, or is longer, was not read to its end (command.ts). */
const deepest = 3
const longest = 100

/** `target`: the whole line, as the commands were read from it. */
export function leavesAll(commands: readonly Command[], target: string): boolean {
  if (commands.length === 0 || commands.length > longest) return false
  if (commands.filter(({ program }) => nesting.has(program)).length > deepest) return false
  // A variable may change what a name means.
  if (/(^|[\s;&|('"])[A-Za-z_]\w*\+?=/.test(target)) return false
  return commands.every(isKnown)
}

const nesting = new Set('env nice nohup time timeout command sh bash dash'.split(' '))

function isKnown({ program, args, writes, isOfSystem }: Command): boolean {
  if (!isOfSystem || !writes.every((path) => silent.test(path))) return false
  if (args.length === 1 && args[0] === '--version') return true
  return byProgram.get(program)?.(args) ?? false
}

/** `sh -c` with a line in which nothing has to be worked out first: what is read in it is what runs. */
function isPlain(args: readonly string[]): boolean {
  const [option, line, ...rest] = args
  return option === '-c' && line !== undefined && rest.length === 0 && !/[$`\\#{}*?[\]]|<</.test(line)
}

const gitReads = /^(status|diff|log|show|blame|ls-files|ls-tree|rev-parse|describe|shortlog|cat-file|grep|add)$/

function readsOnly(args: readonly string[]): boolean {
  const own = args[0] === '--no-pager' ? args.slice(1) : args
  return gitReads.test(own[0] ?? '') && without(/^(--ou|-O|--op|--ext|--textc|--fi)/)(own)
}
