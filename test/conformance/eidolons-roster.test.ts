// The roster, routing table and contracts of the ancestor, taken in as agents.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { openAgents } from '../../src/agents/agents.ts'
import { type AgentImports, type ImportReport, openImports } from '../../src/agents/import/import.ts'
import { packageRoot } from '../../src/base/root.ts'
import { parseRouting } from '../../src/routing/rules.ts'
import { openBench } from '../scopes/bench.ts'
import { sharedFolder } from '../shared.ts'

const folder = join(sharedFolder, 'data', 'eidolons')
const read = (path: string) => ({ path, text: readFileSync(join(folder, path), 'utf8') })

if (!existsSync(folder)) {
  process.stderr.write(`ABSENT: ${folder} is not there; the import of its roster is not tested\n`)
  test(`${ABSENT} the shared roster eidolons is not beside this clone`, () => {})
} else {
  describe('the roster of the ancestor', () => {
    let bench: Awaited<ReturnType<typeof openBench>>
    let imports: AgentImports
    let agents: ReturnType<typeof openAgents>
    let report: ImportReport
    const files = [
      ...['roster-index.yaml', 'routing.yaml', 'model-profiles.yaml'].map(read),
      ...readdirSync(join(folder, 'contracts')).map((name) => read(`contracts/${name}`)),
    ]
    const order = (apply: boolean) => imports.roster({ files, place: { level: 'project', scope: 'shop' }, user: 'ada', apply }, 'user:ada')
    const scope = { user: 'ada', project: 'shop' }

    beforeAll(async () => {
      bench = await openBench()
      await bench.scopes.projects.create({ name: 'shop' }, 'user:ada')
      agents = openAgents({ documents: bench.scopes.documents, engines: () => ['quick'] })
      imports = openImports({ documents: bench.scopes.documents, agents })
      expect((await order(false)).items.map(({ action }) => action)).toEqual(Array.from({ length: 73 }, () => 'create'))
      report = await order(true)
    })
    afterAll(() => bench.close())

    test('[A11] its ten members, its routing table and its 62 contracts are taken; memory and vendors’ models are not', () => {
      const of = (kind: string) => report.items.filter((one) => one.kind === kind).map(({ name }) => name)
      expect(of('agent')).toEqual(['atlas', 'ramza', 'spectra', 'vivi', 'apivr', 'idg', 'forge', 'vigil', 'kupo', 'gilgamesh'])
      expect([of('routing'), of('contract').length]).toEqual([['routing.yaml'], 62])
      expect(report.skipped.map(({ what }) => what)).toEqual(['crystalium', 'model-profiles.yaml', 'contracts.json'])
    })

    test('[A12] classes, tiers and numbers of phrases are as its table has them; the same again changes nothing', async () => {
      const roster = await agents.roster(scope)
      const figures = roster.agents.map((one) => [one.name, one.class, one.tier, one.triggers.length, one.refuses.length].join(' '))
      expect(figures).toEqual([
        'apivr coder standard 23 3',
        'atlas scout standard 31 9',
        'forge reasoner deep 19 3',
        'gilgamesh generalist standard 0 26',
        'idg scriber light 17 4',
        'kupo executor light 25 9',
        'ramza planner deep 21 3',
        'spectra planner deep 21 3',
        'vigil debugger deep 29 2',
        'vivi coder standard 23 3',
      ])
      expect(roster.faults).toEqual([])
      expect(new Set((await order(true)).items.map(({ action }) => action))).toEqual(new Set(['same']))
    })

    test('[A13] only coders may write, and nobody reaches the network', async () => {
      const { agents: all } = await agents.roster(scope)
      const writing = all.filter(({ pledge }) => pledge?.includes('fs.write')).map(({ name }) => name)
      expect(writing).toEqual(['apivr', 'vivi'])
      expect(all.filter(({ pledge }) => pledge === null || pledge.some((one) => /web|network|\*/.test(one)))).toEqual([])
      expect(roster(all, 'vivi').routing).toEqual({ default: true, fallback: 'apivr', degradedMode: 'fanout' })
      expect(roster(all, 'kupo').routing).toEqual({ escalation: { onFail: 'reroute', to: 'vivi', most: 1 } })
    })

    test('[A12] its signals, templates and thresholds can be read as a routing.yaml', async () => {
      const document = await bench.scopes.documents.find('routing.yaml', { project: 'shop' })
      const { faults, document: parsed } = parseRouting(document?.text ?? '', 'routing.yaml')
      expect(faults).toEqual([])
      expect([parsed?.signals.length, parsed?.templates.length, parsed?.deep]).toEqual([9, 11, { lead: 'deep', workers: 'light' }])
      expect(parsed?.thresholds).toMatchObject({ tauStandard: 0.6, tauTrance: 0.8, chainFloor: 0.6, maxParallel: 5 })
    })

    test('[A11] the bundled agents stand beside it, and only aliases that its names take are theirs no more', async () => {
      const both = openAgents({ documents: await withBundled(), engines: () => ['quick', 'hub', 'chat', 'chain', 'pipeline'] })
      const seen = await both.roster(scope)
      expect(seen.faults).toEqual([])
      expect(['atlas', 'scout', 'ramza', 'planner'].map((name) => seen.find(name)?.name)).toEqual(['atlas', 'scout', 'ramza', 'planner'])
    })

    async function withBundled() {
      const { documents } = bench.scopes
      const own = await documents.list('agents/', scope)
      const names = readdirSync(join(packageRoot, 'bundled/agents')).filter((name) => !own.some(({ path }) => path === `agents/${name}`))
      const [first] = own
      if (first === undefined) throw new Error('nothing was taken')
      const bundled = names.map((name) => ({
        ...first,
        ...({ path: `agents/${name}`, level: 'bundled', scope: 'bundled', version: 1 } as const),
        text: readFileSync(join(packageRoot, 'bundled/agents', name), 'utf8'),
      }))
      return { ...documents, list: async () => [...own, ...bundled] }
    }
  })
}

function roster<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name)
  if (found === undefined) throw new Error(`${name} is not there`)
  return found
}
