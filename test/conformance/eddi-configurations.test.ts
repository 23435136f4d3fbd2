// Every configuration of EDDI's own agents is read: whole agents of three generations leniently, what clients send strictly.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { isJsonObject, type Json } from '../../src/base/json.ts'
import type { Kind } from '../../src/pipelines/configuration.ts'
import { canonicalRaw, readConfiguration } from '../../src/pipelines/configurations/read.ts'
import { allKinds, refIn } from '../../src/pipelines/configurations/uri.ts'
import { sharedFolder } from '../shared.ts'

const folder = join(sharedFolder, 'data', 'eddi-agents')
const isThere = existsSync(folder)

const byEnding: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(allKinds.map((kind) => [kind, kind])),
  ...{ bot: 'agent', package: 'workflow', behavior: 'rules', langchain: 'llm', regulardictionary: 'dictionary' },
}
/** What a body of a client is, by words in its file's name. */
const byWord: readonly (readonly [RegExp, Kind])[] = [
  [/rules/i, 'rules'],
  [/output/i, 'output'],
  [/dictionary/i, 'dictionary'],
  [/parserConfiguration/, 'parser'],
]

function kindOf(name: string): Kind | null {
  const ending = /^[^.]+\.([a-z]+)\.json$/.exec(name)?.[1]
  if (ending !== undefined) return byEnding[ending] ?? null
  return byWord.find(([word]) => word.test(name))?.[1] ?? null
}

const read = (path: string): Json => JSON.parse(readFileSync(join(folder, path), 'utf8'))

function all(): readonly { readonly path: string; readonly kind: Kind }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json') && !/patch/.test(path))
    .flatMap((path) => {
      const kind = kindOf(path.slice(path.lastIndexOf('/') + 1))
      return kind === null ? [] : [{ path, kind }]
    })
}

describe('configurations of EDDI’s own agents', () => {
  if (!isThere) {
    test(`${ABSENT} shared agents are not beside this clone`, () => {})
    return
  }

  test('[Y64] every file reads leniently', () => {
    const files = all()
    expect(files.length).toBeGreaterThan(190)
    const failed = files.flatMap(({ path, kind }) => {
      try {
        readConfiguration(kind, read(path), 'lenient')
        return []
      } catch (thrown) {
        return [`${path}: ${String(thrown)}`]
      }
    })
    expect(failed).toEqual([])
  })

  test('[Y64] what is kept of them reads strictly, and is the same configuration', () => {
    for (const { path, kind } of all()) {
      const given = read(path)
      const { raw } = canonicalRaw(kind, given)
      const again = readConfiguration(kind, raw, 'strict')
      expect([path, again.faults]).toEqual([path, []])
      expect([path, again.value]).toEqual([path, readConfiguration(kind, given, 'lenient').value])
    }
  })

  test('[Y64] what clients send reads strictly, patches too', () => {
    for (const name of readdirSync(join(folder, 'crud-payloads'))) {
      const kind = kindOf(name)
      const given = read(`crud-payloads/${name}`)
      const bodies = Array.isArray(given) ? given.map((one) => (isJsonObject(one) ? one['document'] : one)) : [given]
      expect([name, kind === null]).toEqual([name, false])
      for (const body of bodies) expect([name, kind && readConfiguration(kind, body, 'strict').faults]).toEqual([name, []])
    }
  })

  test('[Y64] every reference in agents, workflows and parsers is understood', () => {
    const unknown: string[] = []
    for (const { path, kind } of all()) {
      if (kind !== 'agent' && kind !== 'workflow') continue
      const text = readFileSync(join(folder, path), 'utf8')
      for (const [uri] of text.matchAll(/eddi:\/\/[^"\s]*\?version=[^"\s]*/g))
        if (refIn(uri)?.version == null) unknown.push(`${path}: ${uri}`)
    }
    expect(unknown).toEqual([])
  })
})
