import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { rootsFor } from './roots.ts'

let base: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-roots-')))
  for (const name of ['person/shop', 'data/hub/blobs', 'data/other']) mkdirSync(join(base, name), { recursive: true })
  writeFileSync(join(base, 'person/file'), '')
  symlinkSync(join(base, 'data/hub'), join(base, 'person/link'))
  return () => rmSync(base, { recursive: true })
})
const rootsOf = (wanted: string, text = `Look at ${wanted} please`) =>
  rootsFor([wanted], [{ text, folder: join(base, 'person') }], { homedir: join(base, 'person'), closed: [join(base, 'data/hub')] })

test('[E6] a folder that was named is a root, as it really is', async () => {
  expect(await rootsOf('./shop')).toEqual({ ok: true, roots: [join(base, 'person/shop')] })
  expect(await rootsOf('~/shop/')).toEqual({ ok: true, roots: [join(base, 'person/shop')] })
  expect(await rootsOf('./shop', 'Look at ./garden')).toMatchObject({ ok: false, why: expect.stringContaining('did not name') })
})

test.each([
  ['the person’s own folder', '.', 'too wide'],
  ['what holds it', '..', 'too wide'],
  ['the hub’s folder', '../data/hub', "hub's own data"],
  ['what lies in it', '../data/hub/blobs', "hub's own data"],
  ['what holds it', '../data', "hub's own data"],
  ['a link into it', './link', "hub's own data"],
  ['a file', './file', 'is no folder'],
  ['nothing', './gone', 'does not exist'],
])('[E6] no root: %s', async (_what, wanted, why) => {
  expect(await rootsOf(wanted)).toMatchObject({ ok: false, why: expect.stringContaining(why) })
})
