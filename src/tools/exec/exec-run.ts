// Runs one program in a folder of the project.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { withoutLastLines } from '../../base/ends.ts'
import { messageOf } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { packageRoot } from '../../base/root.ts'
import { isPledged } from '../../policy/capability.ts'
import type { Plan, Risk } from '../../policy/decision.ts'
import { findPlace, realView } from '../files/place.ts'
import { defineTool, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'
import { changedIn } from './changed.ts'
import { bindingOf, commandLine } from './command.ts'
import { watchGit } from './git-guard.ts'
import { mostLoad } from './load.ts'
import type { ExecMeans } from './means.ts'
import { innerPath, jail, proxyPort, unfit } from './mounts.ts'
import { openProxy } from './proxy.ts'
import type { Sandbox } from './sandbox.ts'
import { type Ended, spawned } from './spawn.ts'

const longestSeconds = 1800
const usualSeconds = 120
const outputLimit = 24_000
const outputTail = 16_000

const input = z.strictObject({
  argv: z
    .array(z.string().max(100_000))
    .min(1)
    .max(500)
    .describe('The program and its arguments, each for itself: ["npm", "test"]. For pipes and the like: ["sh", "-c", "..."]'),
  cwd: z.string().optional().describe('Folder to run in, relative to the project folder, which it is when left out'),
  timeoutSeconds: z.int().min(1).max(longestSeconds).default(usualSeconds),
  stdin: z.string().max(1_000_000).optional(),
  env: z.record(z.string(), z.string().max(10_000)).optional().describe('More variables; a secret as {{secret:name}}'),
  network: z.boolean().default(false).describe('true: the command may reach public hosts over http and https; a person may be asked'),
  writes: z.boolean().default(true).describe('false: the project can only be read; a person is asked less'),
})
type Input = z.infer<typeof input>

export function execRun(means: ExecMeans): Tool {
  return defineTool({
    name: 'exec_run',
    description:
      'Runs a program in the project: tests, builds, git, scripts. It sees the project and the system, nothing else of the machine, has ' +
      'no network unless asked for and no terminal, and ends with everything that it started. The answer is its exit code and what it said.',
    labels: ['executive', 'side-effect', 'exec'],
    // The least of it: what can change something needs `exec` itself.
    capability: 'exec.read',
    effect: 'once',
    needsRoots: true,
    risk: 'R2',
    taint: 'content',
    input,
    // Its own time is the command's; this is for what hangs outside of it.
    timeoutMs: (longestSeconds + 60) * 1000,
    outputLimit,
    outputTail,
    plan: (given, context) => planOf(means, given, context),
    async writes(given, context) {
      const ready = await readied(means, given, context)
      if ('why' in ready || !mayWrite(ready, given)) return { paths: [] }
      return { paths: ready.roots, ...(bringsForeign(ready, given) ? { taint: 'foreign' } : {}) }
    },
    async run(given, context) {
      const ready = await readied(means, given, context)
      if ('why' in ready) return refused(ready.code, ready.why)
      if (context.binding !== undefined && context.binding !== ready.binding) {
        return refused('stale', 'What the command would run was changed after it was looked at; nothing was run. Look again.')
      }
      return carriedOut(means, ready, { given, context })
    },
  })
}

type Ready = {
  readonly cwd: string
  readonly roots: readonly string[]
  readonly closed: readonly string[]
  /** null: it runs bare. */
  readonly sandbox: Extract<Sandbox, { kind: 'bwrap' }> | null
  readonly binding: string
}
type NotReady = { readonly code: string; readonly why: string }

/** Looks only. */
async function readied(means: ExecMeans, given: Input, context: ToolContext): Promise<Ready | NotReady> {
  const wrong = faultIn(given)
  if (wrong !== null) return { code: 'invalid', why: wrong }
  const mode = await means.mode(context.process)
  const sandbox = await means.sandbox()
  if (mode === 'required' && sandbox.kind === 'none') {
    return { code: 'no_sandbox', why: `Not run: commands need a sandbox, and there is none. ${sandbox.why} ${sandbox.mend}` }
  }
  const used = mode === 'off' || sandbox.kind === 'none' ? null : sandbox
  if (given.network && used !== null && means.reach === undefined) {
    return { code: 'no_network', why: 'Not run: commands get no network here. Leave "network" out, or use a tool for pages.' }
  }
  const view = await realView(context)
  const bad = unfit(view.roots)
  if (bad !== null) return { code: 'invalid', why: `Not run: ${bad} is a part of the system itself; no command runs in it.` }
  const place = await findPlace(given.cwd ?? view.roots[0] ?? '.', context)
  if (!('real' in place)) return { code: place.code, why: place.why }
  if (place.kind !== 'folder') return { code: 'invalid', why: `"${place.shown}" is no folder; "cwd" names one.` }
  const more = JSON.stringify([used === null, given.writes, given.network])
  return { cwd: place.real, ...view, sandbox: used, binding: await bindingOf(given.argv, { cwd: place.real, roots: view.roots, more }) }
}

function faultIn({ argv, env = {}, stdin = '' }: Input): string | null {
  if ([...argv, ...Object.values(env), stdin].some((text) => text.includes('\0'))) return 'A command has no NUL character.'
  if (argv[0] === '') return 'The first of "argv" is the program; it is empty.'
  const name = Object.keys(env).find((one) => !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(one) || reserved.has(one))
  if (name !== undefined)
    return `The variable "${name.slice(0, 100)}" can't be set; allowed are letters, digits and _, and not ${[...reserved].join(', ')}.`
  return null
}

const reserved: ReadonlySet<string> = new Set(['HOME', 'PATH', 'TMPDIR'])

type Planned = Omit<Plan, 'tool' | 'capability'> & { readonly capability?: string }

async function planOf(means: ExecMeans, given: Input, context: ToolContext): Promise<Planned> {
  const ready = await readied(means, given, context)
  const variables = Object.entries(given.env ?? {}).map(([name, value]) => `${name}=${value}`)
  const target = targetOf(given, variables)
  const usual = { target, destructive: false }
  if ('why' in ready)
    return { ...usual, risk: 'R0', outward: false, consequences: 'Nothing: it can not be run.', binding: `fault:${ready.code}` }
  return {
    ...usual,
    risk: await riskOf(ready, given),
    outward: given.network || ready.sandbox === null,
    capability: capabilityOf(ready, given, context),
    ...(ready.sandbox !== null && !given.writes ? { onlyReads: true } : {}),
    consequences: consequencesOf(ready, given),
    preview: [`cd ${ready.cwd}`, ...variables, commandLine(given.argv), ...(given.stdin ? [`<<< ${given.stdin}`] : [])]
      .join('\n')
      .slice(0, 20_000),
    binding: ready.binding,
  }
}

/** All that decides what runs: a grant for `bash` is none for every script that it could be given on its input. */
function targetOf({ argv, stdin = '' }: Input, variables: readonly string[]): string {
  const input = stdin.length > mostJudged ? `${stdin.slice(0, mostJudged)} ${sha256(stdin)}` : stdin
  return commandLine([...variables, ...argv, ...(input === '' ? [] : ['<<<', input])])
}

const mostJudged = 20_000

/** Who holds only `exec.read` runs what the sandbox keeps from changing anything. */
function capabilityOf({ sandbox }: Ready, { network, writes }: Input, { agent }: Pick<ToolContext, 'agent'>): string {
  if (network) return 'exec.network'
  return writes || sandbox === null || isPledged(agent.pledge, 'exec') ? 'exec' : 'exec.read'
}

/** What it does to the command itself is policy's to judge; here only what it could reach. */
async function riskOf({ sandbox, roots }: Ready, { writes, network }: Input): Promise<Risk> {
  if (sandbox === null || network) return 'R3'
  if (!writes) return 'R1'
  const isKept = (root: string) =>
    stat(join(root, '.git')).then(
      () => true,
      () => false,
    )
  return (await Promise.all(roots.map(isKept))).every((one) => one) ? 'R1' : 'R2'
}

function consequencesOf({ sandbox }: Ready, { writes, network }: Input): string {
  if (sandbox === null) return 'It runs WITHOUT a sandbox: it can reach all that the hub can, also the network.'
  const files = writes ? "It may change the project's files" : "It may read the project's files"
  return network ? `${files} and send what it likes to any public host.` : `${files}; it has no network and sees nothing else.`
}

function mayWrite({ sandbox }: Ready, { writes }: Input): boolean {
  return writes || sandbox === null
}

function bringsForeign({ sandbox }: Ready, { network }: Input): boolean {
  return network || sandbox === null
}

type Running = { readonly given: Input; readonly context: ToolContext }

async function carriedOut(means: ExecMeans, ready: Ready, { given, context }: Running): Promise<Outcome> {
  const env = await environment(given, context)
  if ('why' in env) return refused('denied', env.why)
  const home = await mkdtemp(join(means.temp, 'exec-'))
  const removed: string[] = []
  try {
    // The file system's own clock, before anything was started.
    const { ctimeMs } = await stat(home)
    const led = await watchGit(mayWrite(ready, given) ? ready.roots : [])
    const ended = await withWay(means, { home, isWanted: given.network && ready.sandbox !== null }, (way) =>
      spawned(means.clock, {
        ...started(means, ready, { given, env, home, ...(way ? { way } : {}) }),
        stdin: given.stdin ?? '',
        timeoutMs: given.timeoutSeconds * 1000,
        signal: context.signal,
        onLine: context.progress,
      }),
    ).finally(async () => void removed.push(...(await led())))
    // Also of a command that was stopped or took too long: what it wrote is there.
    const wrote = mayWrite(ready, given) ? await changedIn(ready.roots, ctimeMs) : []
    const brought = bringsForeign(ready, given) ? { taint: 'foreign' as const, sources: [...ended.reached] } : {}
    return withNote(told(ended, given, { read: ready.roots, wrote, ...brought }), removed)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function withNote(outcome: Outcome, removed: readonly string[]): Outcome {
  if (removed.length === 0) return outcome
  return {
    ...outcome,
    text: `${outcome.text}\nTaken away: ${removed.join(', ')}. Git would take settings, and run programs, from where it leads.`,
  }
}

/** As programs look for it; what they run on their own machine they reach without. */
const proxy = `http://127.0.0.1:${proxyPort}`
const proxied = {
  ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, ALL_PROXY: proxy },
  ...{ NO_PROXY: 'localhost,127.0.0.1,::1', no_proxy: 'localhost,127.0.0.1,::1', NODE_USE_ENV_PROXY: '1' },
}

/** Nothing of the hub's own environment; secrets at the last moment. */
async function environment({ env = {} }: Input, context: ToolContext): Promise<Record<string, string> | NotReady> {
  try {
    const own = await Promise.all(Object.entries(env).map(async ([name, value]) => [name, await context.resolve(value)] as const))
    return { ...usualVariables, ...Object.fromEntries(own) }
  } catch (thrown) {
    return { code: 'denied', why: messageOf(thrown) }
  }
}

/** A repository that lies within the project's files is not taken for one: its configuration could name programs to be run. */
const usualVariables = {
  ...{ LANG: 'C.UTF-8', TERM: 'dumb', CI: 'true', NO_COLOR: '1' },
  ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.bareRepository', GIT_CONFIG_VALUE_0: 'explicit' },
}

type Way = NonNullable<Parameters<typeof jail>[0]['way']>

/** With the proxy open beside it, where it was given the network. */
async function withWay(means: ExecMeans, given: { home: string; isWanted: boolean }, run: (way: Way | null) => Promise<Ended>) {
  const { reach } = means
  if (!given.isWanted || reach === undefined) return { ...(await run(null)), reached: new Set<string>() }
  const socket = join(given.home, 'way')
  const proxy = await openProxy(socket, reach)
  try {
    const bridge = join(packageRoot, 'src', 'tools', 'exec', 'bridge.ts')
    return { ...(await run({ socket, node: process.execPath, bridge })), reached: proxy.reached }
  } finally {
    await proxy.close()
  }
}

type Starting = {
  readonly way?: Way
  readonly given: Input
  readonly env: Readonly<Record<string, string>>
  readonly home: string
}

function started({ path }: ExecMeans, { sandbox, ...ready }: Ready, { given, env, home, way }: Starting) {
  const { argv, writes } = given
  if (sandbox === null) {
    return { program: argv[0] ?? '', args: argv.slice(1), cwd: ready.cwd, env: { ...env, PATH: path, HOME: home, TMPDIR: home } }
  }
  const args = jail({ sandbox, ...ready, writes, path, argv, ...(way ? { way } : {}) })
  const over = way ? proxied : {}
  return { program: sandbox.program, args, cwd: '/', env: { ...over, ...env, PATH: innerPath(path), HOME: '/tmp/home', TMPDIR: '/tmp' } }
}

function told({ how, output, ms }: Ended, { argv, timeoutSeconds }: Input, more: Omit<Outcome, 'ok' | 'code' | 'text'>): Outcome {
  const said = withoutLastLines(output.text())
  const body = said === '' ? 'It said nothing.' : said
  const seconds = `after ${(ms / 1000).toFixed(1)} s`
  const failed = (code: string, head: string): Outcome => ({ ok: false, code, text: `${head}\n${body}`, ...more })
  switch (how.kind) {
    case 'exit':
      return {
        ok: true,
        text: `Exit code ${how.code} ${seconds}.${how.code === 127 ? ` There may be no program "${argv[0]}".` : ''}\n${body}`,
        ...more,
      }
    case 'signal':
      return failed('killed', `Ended by ${how.name} ${seconds}.`)
    case 'timeout':
      return failed('timeout', `It did not end within ${timeoutSeconds} seconds and was ended, with all that it had started.`)
    case 'flood':
      return failed('flood', `It was ended because it wrote more than 256 MB of output.`)
    case 'memory':
      return failed('memory', `It was ended because it used more than ${Math.floor(mostLoad.bytes / 1024 ** 2)} MB of memory in all.`)
    case 'crowd':
      return failed('crowd', `It was ended because it had more than ${mostLoad.processes} processes at once.`)
    case 'stopped':
      return failed('stopped', 'It was stopped.')
    case 'failed':
      return refused(how.code === 'ENOENT' ? 'not_found' : 'broken', `Not run: ${argv[0]} could not be started (${how.code}).`)
  }
}
