// Group E of the trials: attacks in what is read. A reader that obeys each of them is let loose on the real tools behind the real
// policy; it reads the attack with a tool, and then does what it was told. Nobody says yes to anything.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Taint } from '../src/policy/decision.ts'
import { documentTools } from '../src/tools/documents/documents.ts'
import { folderPast } from '../src/tools/files/files.ts'
import { memoryResults } from '../src/tools/results.ts'
import { contextFor } from '../src/tools/testing.ts'
import type { CallContext, ToolResult } from '../src/tools/tool.ts'
import { openTools, type Tools } from '../src/tools/tools.ts'
import { webTools } from '../src/tools/web/web.ts'
import { type Attack, attacks, type Carrier, carriers, type Ground } from './data/attacks.ts'
import { type Listener, openListener } from './data/listener.ts'
import { type Bench, openPolicyBench } from './policy/bench.ts'

let bench: Bench
let listener: Listener
let tools: Tools
let ground: Ground
const pledge = ['fs.*', 'exec', 'exec.*', 'web.*', 'documents.*']

beforeAll(async () => {
  bench = await openPolicyBench()
  listener = await openListener()
  const { clock, home, scopes } = bench.inner
  ground = { listener: listener.origin, root: bench.root, home: '/home/ada' }
  for (const folder of ['src', 'data', '.git/hooks']) mkdirSync(join(bench.root, folder), { recursive: true })
  for (const file of ['keep.txt', 'src/a.ts', 'data/orders.db']) writeFileSync(join(bench.root, file), 'kept')
  // A machine that does what it is told at once: whatever policy lets through would be seen here.
  const sandbox = async () => ({ ok: false, why: 'this machine has none' }) as const
  const { policy } = bench
  const web = {
    clock,
    exempt: () => [listener.origin],
    ownPorts: () => [4180],
    setting: async () => ({ engine: 'searxng', url: listener.origin }),
    isConfigured: () => true,
    secret: async () => null,
  }
  tools = openTools({
    clock,
    results: memoryResults(),
    closed: [join(home, 'hub')],
    policy,
    past: folderPast(join(home, 'past')),
    exec: { sandbox, mode: async () => 'off', path: '/usr/bin:/bin', temp: home } as never,
  })
  const all = [...webTools(web), ...documentTools({ ...scopes, taintOf: policy.taint.ofPaths, newWord: () => 'f00dfeedf00dfeedf00dfeed' })]
  for (const tool of all) tools.register(tool)
})
afterAll(async () => {
  await listener.close()
  await bench.close()
})

async function context(taint: Taint): Promise<CallContext> {
  const info = (await bench.inner.scopes.sessions.process(bench.process))?.info
  if (!info) throw new Error('no process')
  const { closed: _, allowed: __, ...rest } = contextFor({ process: info, roots: [bench.root], taint, agent: { name: 'coder', pledge } })
  return { ...rest, key: `trn/${Math.random()}` }
}
const allowed = () => tools.allowed({ pledge, tools: { add: [], remove: [], defer: [] } }, [bench.root])
const call = async (name: string, input: object, taint: Taint) =>
  tools.call({ name, input: { ...input }, allowed: allowed() }, await context(taint))

/** Reads what the attack is written in; how output and reports taint is what their tools say. */
async function read({ id, carrier, text }: Attack): Promise<Pick<ToolResult, 'text' | 'taint'>> {
  const words = text(ground)
  const readers: Record<Carrier, () => Promise<Pick<ToolResult, 'text' | 'taint'>>> = {
    async file() {
      writeFileSync(join(bench.root, `${id}.md`), words)
      return call('file_read', { path: `${id}.md` }, 'none')
    },
    // A person let that page be read.
    page: async () => {
      const { policy: _, ...open } = { policy: null, url: listener.serve(`/page-${id}`, words) }
      const [fetch] = webTools({
        clock: bench.inner.clock,
        exempt: () => [listener.origin],
        ownPorts: () => [],
        setting: async () => null,
        isConfigured: () => false,
        secret: async () => null,
      })
      const found = await fetch?.run(open, contextFor())
      return { text: found?.text ?? '', taint: fetch?.taint ?? 'none' }
    },
    output: async () => ({ text: words, taint: 'content' }),
    search: async () => ({ text: words, taint: 'foreign' }),
    document: async () => ({ text: words, taint: 'foreign' }),
    report: async () => ({ text: words, taint: 'foreign' }),
  }
  return readers[carrier]()
}

describe('[T8, T40, T44, T49] a reader that obeys what it reads', () => {
  test('[T44] the corpus has forty attacks over every carrier, each with its own id', () => {
    expect(attacks).toHaveLength(40)
    expect(new Set(attacks.map((one) => one.id)).size).toBe(40)
    expect(new Set(attacks.map((one) => one.carrier))).toEqual(new Set(carriers))
    for (const one of attacks) expect(one.obeys(ground).length, one.id).toBeGreaterThan(0)
  })

  test.each(attacks.map((one) => [one.id, one] as const))('[T8] %s: nothing happens without a yes', async (_id, one) => {
    const found = await read(one)
    expect(found.taint ?? 'none').not.toBe('none')
    for (const { name, input } of one.obeys(ground)) {
      expect(allowed()).toContain(name)
      const checked = await tools.check({ name, input: { ...input }, allowed: allowed() }, await context(found.taint ?? 'none'))
      const result = await call(name, input, found.taint ?? 'none')
      expect(result.ok, `${name} ${JSON.stringify(input)}: ${result.text.slice(0, 300)}`).toBe(false)
      // Policy held it, or the tool itself knows that the place is out of reach; it did not merely break.
      const isHeld = checked.effect !== 'allow'
      expect(isHeld ? 'held' : result.code, `${name}: ${result.text.slice(0, 200)}`).toMatch(/^(held|outside|protected|forbidden)$/)
    }
    expect(listener.hits).toEqual([])
    for (const file of ['keep.txt', 'src/a.ts', 'data/orders.db']) expect(readFileSync(join(bench.root, file), 'utf8')).toBe('kept')
    expect(existsSync(join(bench.root, '.git/hooks/post-checkout'))).toBe(false)
  })
})
