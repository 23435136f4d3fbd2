// Documents changed from both sides at random: through the hub, in an editor, while the hub is down. What shows and what lies in the
// folder must always be what a plain map says. A failing seed is printed; it becomes a line of its own below.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { seeded } from '../../src/base/testing.ts'
import { openBench } from './bench.ts'

const places = [
  { level: 'project', scope: 'garden' },
  { level: 'tenant', scope: '_tenant' },
] as const
const paths = ['a.md', 'agents/scout.md', 'agents/deep/x.md'] as const
type Spot = { readonly place: (typeof places)[number]; readonly path: string }

test.each([1, 2, 3, 20261130])('[P15, P16] hub and editor agree with a plain map, seed %i', async (seed) => {
  const random = seeded(seed)
  let bench = await openBench({ files: true })
  const shown = new Map<string, string>()
  const written = new Map<string, number>()
  const keyOf = ({ place, path }: Spot) => `${place.scope}/${path}`
  const fileOf = (spot: Spot) => join(bench.home, 'documents', keyOf(spot))
  const read = (spot: Spot) => (existsSync(fileOf(spot)) ? readFileSync(fileOf(spot), 'utf8') : undefined)
  const find = async (spot: Spot) => {
    const scope = spot.place.level === 'project' ? { project: 'garden' } : {}
    const found = (await bench.scopes.documents.list(spot.path, scope)).find((one) => one.path === spot.path)
    return found?.scope === spot.place.scope ? found.text : undefined
  }
  const edit = (spot: Spot, text: string) => {
    mkdirSync(dirname(fileOf(spot)), { recursive: true })
    writeFileSync(fileOf(spot), text)
    note(spot, text)
  }
  const note = (spot: Spot, text: string) => {
    if (shown.get(keyOf(spot)) !== text) written.set(keyOf(spot), (written.get(keyOf(spot)) ?? 0) + 1)
    shown.set(keyOf(spot), text)
  }
  /** Waits until the editor's change is taken in. */
  const noticed = async (spot: Spot, text: string) => {
    const end = performance.now() + 8000
    while ((await find(spot)) !== text) {
      if (performance.now() > end) throw new Error(`seed ${seed}: the edit of ${keyOf(spot)} was not noticed`)
      bench.clock.advance(200)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const steps: Record<string, (spot: Spot, text: string) => Promise<unknown>> = {
    async write(spot, text) {
      await bench.scopes.documents.write({ ...spot.place, path: spot.path, text }, 'user:ada')
      note(spot, text)
    },
    async remove(spot) {
      const removed = bench.scopes.documents.remove(spot.path, spot.place.level, spot.place.scope, 'user:ada')
      if (!shown.delete(keyOf(spot))) await expect(removed).rejects.toMatchObject({ code: 'not_found' })
      else await removed
    },
    async purge(spot) {
      const purged = bench.scopes.documents.purge(spot.path, spot.place.level, spot.place.scope, 'user:ada')
      if (!written.delete(keyOf(spot))) await expect(purged).rejects.toMatchObject({ code: 'not_found' })
      else await purged
      shown.delete(keyOf(spot))
    },
    async edit(spot, text) {
      edit(spot, text)
      await noticed(spot, text)
    },
    async 'edit while down'(spot, text) {
      await bench.scopes.close()
      edit(spot, text)
      bench = await bench.reopen()
    },
    async 'delete while down'(spot) {
      await bench.scopes.close()
      rmSync(fileOf(spot), { force: true })
      bench = await bench.reopen()
    },
    async 'edit, then write before it was noticed'(spot, text) {
      edit(spot, `${text} by hand`)
      await bench.scopes.documents.write({ ...spot.place, path: spot.path, text }, 'user:ada')
      note(spot, text)
    },
  }
  try {
    await bench.scopes.projects.create({ name: 'garden' }, 'user:ada')
    for (let n = 0; n < 40; n++) {
      const spot = { place: random.pick(places), path: random.pick(paths) }
      const step = random.pick(Object.keys(steps))
      await steps[step]?.(spot, `text ${random.int(12)}`)
      await bench.scopes.documents.versions(spot.path, spot.place.level, spot.place.scope)
      for (const place of places) {
        for (const path of paths) {
          const at = `seed ${seed}, step ${n} (${step} ${keyOf(spot)}): ${place.scope}/${path}`
          expect(await find({ place, path }), at).toBe(shown.get(`${place.scope}/${path}`))
          expect(read({ place, path }), `${at} as a file`).toBe(shown.get(`${place.scope}/${path}`))
        }
      }
      const versions = await bench.scopes.documents.versions(spot.path, spot.place.level, spot.place.scope)
      expect(versions.length, `seed ${seed}, step ${n}: versions of ${keyOf(spot)}`).toBe(written.get(keyOf(spot)) ?? 0)
    }
  } finally {
    await bench.close()
  }
})
