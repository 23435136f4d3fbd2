import { describe, expect, test } from 'vitest'
import { checkRooms, cycles } from './rooms.ts'
import { parseSource, type Source } from './source.ts'

function files(texts: Readonly<Record<string, string>>): Source[] {
  return Object.entries(texts).map(([path, text]) => parseSource(path, text))
}

describe('room edges', () => {
  test('a room may import the door of a room above it, base and protocol', () => {
    const found = checkRooms(
      files({
        'src/base/ids.ts': `import { randomBytes } from 'node:crypto';`,
        'src/protocol/event.ts': `import * as z from 'zod';`,
        'src/journal/journal.ts': `import type { Id } from '../base/ids.ts';`,
        'src/lanes/lanes.ts': `import { a } from '../journal/journal.ts'; import { e } from '../protocol/event.ts';`,
        'src/steward.ts': `import { lanes } from './lanes/lanes.ts'; import { x } from './store/sqlite/deep.ts';`,
        'src/cli/cli.ts': `export async function f() { return import('../steward.ts'); }`,
      }),
    )
    expect(found).toEqual([])
  })

  test.each([
    ['a room below', 'src/journal/journal.ts', `import { l } from '../lanes/lanes.ts';`, 'stands below journal'],
    ['a room below, in a dynamic import', 'src/journal/journal.ts', `void import('../lanes/lanes.ts');`, 'stands below'],
    ['a room below, as a type', 'src/journal/journal.ts', `import type { L } from '../lanes/lanes.ts';`, 'stands below'],
    ['an edge', 'src/cli/cli.ts', `import { s } from '../server/server.ts';`, 'is an edge'],
    ['the composition', 'src/server/server.ts', `import { s } from '../steward.ts';`, 'only cli may import'],
    ['anything, from base', 'src/base/ids.ts', `import { j } from '../protocol/event.ts';`, 'base imports nothing'],
    ['a driver', 'src/work/work.ts', `import pg from 'pg';`, 'only store may see pg'],
    ['SQLite', 'src/work/work.ts', `import { DatabaseSync } from 'node:sqlite';`, 'only store may see node:sqlite'],
    ['a provider SDK', 'src/context/context.ts', `import { x } from '@ai-sdk/provider';`, 'only models may see'],
    ['an unknown package', 'src/work/work.ts', `import _ from 'lodash/fp';`, 'no room may see lodash'],
    ['yaml, from base', 'src/base/ids.ts', `import { parse } from 'yaml';`, 'may see yaml'],
    ['more than protocol, from the page', 'web/src/main.ts', `import { x } from '../../src/base/ids.ts';`, 'protocol only'],
    ['Node, from the page', 'web/src/main.ts', `import fs from 'node:fs';`, 'no Node modules'],
    ['a file past the door', 'src/work/work.ts', `import { t } from '../lanes/turn.ts';`, 'is not named by a door'],
  ])('refuses %s', (_, path, text, reason) => {
    const found = checkRooms(files({ 'src/lanes/lanes.ts': 'export const l = 1;', [path]: text }))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(reason)
  })

  test('a door opens a file by naming it in its header or by importing it', () => {
    const user = `import { e } from '../lanes/engine.ts'; import { t } from '../lanes/turn.ts';`
    const door = `/** The lanes. Others also import engine.ts. */\nexport { t } from './turn.ts';`
    expect(checkRooms(files({ 'src/lanes/lanes.ts': door, 'src/work/work.ts': user }))).toEqual([])
  })

  test('protocol must not reach Node through a file that it imports', () => {
    const found = checkRooms(
      files({
        'src/protocol/event.ts': `import { a } from '../base/ids.ts';`,
        'src/base/ids.ts': `import { b } from './random.ts';`,
        'src/base/random.ts': `import { c } from 'node:crypto';`,
      }),
    )
    expect(found).toEqual([expect.stringContaining('src/base/random.ts: imports node:crypto')])
  })

  test('an index.ts, a stray file and an unknown room are refused', () => {
    const found = checkRooms(files({ 'src/work/index.ts': '', 'src/helper.ts': '', 'src/misc/misc.ts': '' }))
    expect(found).toHaveLength(3)
  })

  test('tests may import what they like', () => {
    expect(checkRooms(files({ 'src/journal/journal.test.ts': `import pg from 'pg'; import '../store/store.ts';` }))).toEqual([])
  })
})

describe('cycles', () => {
  test('are found over several files and named by the way round', () => {
    const found = cycles(files({ 'a.ts': `import './b.ts';`, 'b.ts': `import './c.ts';`, 'c.ts': `import './a.ts';` }))
    expect(found).toEqual(['import cycle: a.ts -> b.ts -> c.ts -> a.ts'])
  })

  test('a lazy import and a diamond are no cycle', () => {
    const diamond = {
      'a.ts': `import './b.ts'; import './c.ts';`,
      'b.ts': `import './d.ts';`,
      'c.ts': `import './d.ts';`,
    }
    expect(cycles(files({ ...diamond, 'd.ts': `void import('./a.ts');` }))).toEqual([])
  })
})
