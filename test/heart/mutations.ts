// Deliberate bugs, one per trap of docs/design/heart.md: a copy of the sources with the bug in it must fail the fuzz. A patch whose
// text is no longer there is a failure too, so that the list stays true.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/base/root.ts'

type Patch = readonly [file: string, find: string, replace: string]
export type Mutation = {
  readonly trap: string
  readonly bug: string
  /** Which fuzz shows it; `tests`: the unit tests of the lanes do. */
  readonly kind: 'memory' | 'late' | 'pair' | 'tests'
  readonly patches: readonly Patch[]
  /** For `tests`: where, [project, file]. */
  readonly tests?: readonly [project: string, file: string]
  /** Needs thousands of seeds; only `npm run torture -- --mutations` has the time. */
  readonly isRare?: true
}

const noPrefix: Patch = ['store/rules.ts', 'takes.every((id, i) => line[i] === id) ? null', 'takes.length > 0 ? null']
const noOwner: Patch = ['store/rules.ts', 'if ((lane?.epoch ?? 0) !== commit.epoch) return', 'if (commit.epoch < 0) return']

export const mutations: readonly Mutation[] = [
  {
    trap: 'T1',
    bug: 'parking does not look at the waits again',
    kind: 'memory',
    patches: [['lanes/run.ts', '&& !this.poke()) this.#park()', ') this.#park()']],
  },
  {
    trap: 'T2',
    bug: 'the resting word is that of the commit before',
    kind: 'memory',
    patches: [
      [
        'lanes/write.ts',
        'const resting = this.#resting()',
        "const late = this as { before?: Resting }\n    const resting = late.before ?? 'idle'\n    late.before = this.#resting()",
      ],
    ],
  },
  {
    trap: 'T3',
    bug: 'only the first requester is answered',
    kind: 'memory',
    patches: [['lanes/settle.ts', 'posts: turn.taken.flatMap(', 'posts: turn.taken.slice(0, 1).flatMap(']],
  },
  {
    trap: 'T4/T5',
    bug: 'posts are shown to lanes before their commit, and the store does not check what is taken',
    kind: 'memory',
    patches: [
      ['journal/group.ts', 'if (result.ok && !result.duplicate) posts.push(post)', 'if (result.ok || post) posts.push(post)'],
      ['store/rules.ts', "if (takes.some((id) => stateOf(id) !== 'waiting')) return gone", ''],
      noPrefix,
    ],
  },
  {
    trap: 'T6',
    bug: 'takes need not be the oldest work, and the owner does not hear all in order',
    kind: 'pair',
    patches: [noPrefix],
  },
  { trap: 'T7', bug: 'a commit needs no epoch', kind: 'pair', patches: [noOwner] },
  {
    trap: 'T9',
    bug: 'a safe point gives new work during replay',
    kind: 'memory',
    patches: [['lanes/turn-arrivals.ts', 'return run.replaying() ? [] : takeArrivals', 'return takeArrivals']],
  },
  {
    trap: 'T10',
    bug: 'who came first is decided again on replay',
    kind: 'memory',
    patches: [
      [
        'lanes/turn-ask.ts',
        "if (found?.kind === 'wait') return answerOf(run, found.ask)",
        "if (found?.kind === 'wait') return answered(run.turn(), asks) ?? answerOf(run, found.ask)",
      ],
    ],
  },
  {
    trap: 'T11',
    bug: 'text is said again on replay',
    kind: 'memory',
    patches: [['lanes/turn-say.ts', "if (found?.kind === 'say') return found.message", '']],
  },
  {
    trap: 'T12',
    bug: 'a delegation and its request are two commits',
    kind: 'memory',
    patches: [
      [
        'lanes/turn-ask.ts',
        'void run.core.write(opening(run, { name, ask, what }))',
        'const both = opening(run, { name, ask, what })\n  void run.core.write({ ...both, posts: [] }).then(() => run.core.write({ events: [], posts: both.posts ?? [] }))',
      ],
      ['lanes/opening.ts', 'lost: await lostDelegations(this.#given.store, from.state)', 'lost: []'],
    ],
  },
  {
    trap: 'T13',
    bug: 'a run that left something out parks and waits',
    kind: 'tests',
    tests: ['unit', 'src/lanes/steps.test.ts'],
    patches: [['lanes/run.ts', 'if (this.#unvisited <= 0) return []', 'if (this.#unvisited <= 1e9) return []']],
  },
  {
    trap: 'T17',
    bug: 'calls do not throw after a stop',
    kind: 'memory',
    patches: [['lanes/run.ts', 'if (this.#dead || this.turn().stopping) throw', 'if (this.#dead) throw']],
  },
  {
    trap: 'T20',
    bug: 'a throw is a no',
    kind: 'memory',
    patches: [['lanes/turn-step.ts', 'if (thrown instanceof NotDone) throw failed', 'if (thrown instanceof Error) throw failed']],
  },
  {
    trap: 'T21',
    bug: 'a turn is restarted for ever',
    kind: 'memory',
    patches: [['lanes/open.ts', 'restartLimit = 3', 'restartLimit = 3000']],
  },
  {
    trap: 'T26',
    bug: 'what a group without an answer had written is not looked at',
    kind: 'memory',
    patches: [['journal/group.ts', 'if (this.#doubtful) await this.#lookAgain()', '']],
  },
  {
    trap: 'T30',
    bug: 'an answer and a timeout both win',
    kind: 'memory',
    patches: [['lanes/control.ts', "if (ask.answer) return refuse(entry, 'answered')", '']],
  },
  {
    trap: 'L2',
    bug: 'a request is taken together with other work',
    kind: 'memory',
    patches: [
      ['lanes/mailbox.ts', 'if (first.replyTo) return [first]', ''],
      ['lanes/mailbox.ts', 'entry.from === first.from && !entry.replyTo &&', 'entry.from === first.from &&'],
    ],
  },
  {
    trap: 'L3',
    bug: 'a step acts before its start is durable',
    kind: 'memory',
    patches: [['lanes/turn-step.ts', 'const durable = await core.write(', 'const durable = core.write(']],
  },
  {
    trap: 'L5',
    bug: 'a once step is done again after a crash',
    kind: 'memory',
    patches: [['lanes/turn-step.ts', 'let again = attempt === 0', 'let again = attempt >= 0']],
  },
  {
    trap: 'L5',
    bug: 'the key of a step changes with its attempt',
    kind: 'memory',
    patches: [['lanes/turn-step.ts', 'key: keyOf(run, name),', "key: [keyOf(run, name), given.attempt].join('/'),"]],
  },
  {
    trap: 'L6',
    bug: 'a lane that could go on is put out of memory',
    kind: 'memory',
    patches: [['lanes/lane.ts', '&& !this.#canStart() && !this.#isRunnable()', '']],
  },
  {
    trap: 'L11',
    bug: 'steps whose outcome is unknown are not named',
    kind: 'memory',
    patches: [['lanes/settle.ts', 'unknown: unknownSteps(turn),', 'unknown: [],']],
  },
  // What the fuzz found, put back.
  {
    trap: 'L5',
    bug: 'reconcile is asked about another key',
    kind: 'memory',
    patches: [['lanes/turn-step.ts', 'reconcile({ ...act, key: keyOf(run, name) })', 'reconcile(act)']],
  },
  {
    trap: 'L11',
    bug: 'a turn that was paused and stopped is left as it is after a crash',
    kind: 'memory',
    patches: [
      ['lanes/state.ts', "  if (state.turn.stopping) return 'running'\n", ''],
      ['lanes/lane.ts', 'if (turn?.stopping) return true', ''],
    ],
  },
  {
    trap: 'L11',
    bug: 'a process that closes does not stop its turn for good',
    kind: 'memory',
    patches: [['lanes/control.ts', 'const stopping = turn && !turn.stopping ?', 'const stopping = turn && turn.count < 0 ?']],
  },
  {
    trap: 'L6',
    bug: 'what is left is not looked at when a branch went on and ended',
    kind: 'memory',
    patches: [['lanes/run.ts', 'if (went) this.#checkSoon()', '']],
  },
  {
    trap: 'L11',
    bug: 'a lane whose request never arrived rests as waiting',
    kind: 'late',
    isRare: true,
    patches: [['lanes/write.ts', "this.#isForced = resting === 'waiting' && this.#onTheWay > 0", 'this.#isForced = false']],
  },
  {
    trap: 'L10',
    bug: 'a held entry is let go on twice',
    kind: 'tests',
    tests: ['integration', 'test/heart/found.test.ts'],
    patches: [['lanes/lane.ts', '    this.#held.delete(id)\n    void durable', '    void durable']],
  },
]

export type Hunted = { readonly mutation: Mutation; readonly caught: boolean; readonly by: string }

/** Runs the fuzz over a copy with the bug in it; stops at the first seed that shows it. */
export async function hunt(mutation: Mutation, seeds: number): Promise<Hunted> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-mutation-'))
  try {
    cpSync(join(packageRoot, 'src'), join(folder, 'src'), { recursive: true })
    cpSync(join(packageRoot, 'test/heart'), join(folder, 'test/heart'), { recursive: true })
    cpSync(join(packageRoot, 'scripts'), join(folder, 'scripts'), { recursive: true })
    for (const file of ['package.json', 'vitest.config.ts']) cpSync(join(packageRoot, file), join(folder, file))
    symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
    for (const patch of mutation.patches) {
      const missing = apply(folder, patch)
      if (missing) return { mutation, caught: false, by: missing }
    }
    const { code, text } = await run(folder, mutation.tests ? tests(...mutation.tests) : fuzz(seeds, mutation.kind))
    const caught = code === 1 && (text.startsWith('seed ') || text.includes('FAIL'))
    return {
      mutation,
      caught,
      by: caught ? firstLines(text) : `not caught by ${seeds} seeds: ${text.slice(-300)}`,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function firstLines(text: string): string {
  const lines = text.split('\n')
  const from = Math.max(
    0,
    lines.findIndex((line) => line.includes('FAIL')),
  )
  return lines
    .slice(from, from + 2)
    .join(' ')
    .slice(0, 160)
}

/** The text of the patch must be there once. */
function apply(folder: string, [file, find, replace]: Patch): string | null {
  const path = join(folder, 'src', file)
  const text = readFileSync(path, 'utf8')
  if (text.split(find).length !== 2) return `src/${file} has ${text.split(find).length - 1} places "${find}"; the patch needs one`
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
  return null
}

const tests = (project: string, file: string) => [
  'node_modules/vitest/vitest.mjs',
  ...['run', '--project', project, '--reporter', 'dot', '--no-color', file],
]
const fuzz = (seeds: number, kind: string) => ['test/heart/run.ts', '1', String(seeds), kind, '1']

function run(cwd: string, args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const parts: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part.toString()))
    const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code: code ?? -1, text: parts.join('') })
    })
  })
}
