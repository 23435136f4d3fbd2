// The pure pieces of a chain: what an answer says, parts of a plan, what may be brought back; and bringing back over real files.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { branchIn, makeBranches } from './branches.ts'
import { boundOf } from './charter.ts'
import { missingSections, readSaid } from './handover.ts'
import { mergeBranches, planMerge } from './merge.ts'
import { storiesIn } from './stories.ts'

describe('an answer', () => {
  test.each([
    ['REFUSE: too large', 'REFUSE', 'too large', 'too large'],
    ['**ESCALATE:** still red\n\nmore', 'ESCALATE', 'still red', 'more'],
    ['# PROPOSE: a patch\n\n## Edit', 'PROPOSE', 'a patch', '## Edit'],
    ['REFUSED by nobody', 'INFORM', '', 'REFUSED by nobody'],
    ['I would REFUSE: no', 'INFORM', '', 'I would REFUSE: no'],
    ['DELEGATE: to all', 'INFORM', '', 'DELEGATE: to all'],
  ])('%j', (given, performative, front, text) => {
    expect(readSaid(given)).toEqual({ performative, front, text })
  })

  test('a heading with nothing below it is none, and one in a code block too', () => {
    expect(missingSections('## Done\n\n## Left\nx\n```\n## Checked\n```', ['Done', 'Checked', 'Left'])).toEqual(['Done', 'Checked'])
  })
})

test('parts are the items below their heading, with what belongs to them; one alone is none', () => {
  const text = '## Goal\n- not this\n## Stories\n- **north**: build it\n  - and its test\n2. south: too\n## Open\n- nor this'
  expect(storiesIn(text).map(({ name }) => name)).toEqual(['north', 'south'])
  expect(storiesIn(text)[0]?.text).toContain('and its test')
  expect(storiesIn('## Stories\n- only: one')).toEqual([])
})

test('who only reads gets nothing that changes something, and a family is narrowed to its reading part', () => {
  expect(boundOf('scout', ['fs.*', 'exec', 'exec.network', 'documents.*'])).toEqual(['documents.read', 'exec.read', 'fs.read'])
  expect(boundOf('nobody knows', ['fs.write'])).toEqual([])
  expect(boundOf('coder', ['fs.write'])).toEqual(['fs.write'])
})

describe('bringing back', () => {
  test('the same change twice is one; a file in place of a folder is a conflict', () => {
    const plan = planMerge([
      { branch: 0, path: 'same', state: 'file 1' },
      { branch: 1, path: 'same', state: 'file 1' },
      { branch: 0, path: 'a', state: 'file 1' },
      { branch: 1, path: 'a/b', state: 'file 2' },
      { branch: 0, path: 'gone', state: null },
    ])
    expect(plan.wishes.map(({ path }) => path)).toEqual(['same', 'a', 'gone'])
    expect(plan.conflicts.map(({ path }) => path)).toEqual(['a/b'])
  })

  test('nothing is written through a link that leads out of the project; done twice it changes nothing more', async () => {
    const base = mkdtempSync(join(tmpdir(), 'steward-merge-'))
    const [root, elsewhere] = [join(base, 'root'), join(base, 'elsewhere')]
    for (const folder of [root, elsewhere]) mkdirSync(folder)
    symlinkSync(elsewhere, join(root, 'out'))
    const { signal } = new AbortController()
    const given = { roots: [root], run: 'run_1', count: 1 }
    await makeBranches(given, signal)
    symlinkSync(elsewhere, join(root, 'late'))
    mkdirSync(join(branchIn(root, 'run_1', 0), 'late'))
    writeFileSync(join(branchIn(root, 'run_1', 0), 'late', 'evil.txt'), 'x')
    const branch = branchIn(root, 'run_1', 0)
    rmSync(join(branch, 'out'))
    mkdirSync(join(branch, 'out'))
    writeFileSync(join(branch, 'out', 'evil.txt'), 'x')
    writeFileSync(join(branch, 'good.txt'), 'x')
    const first = await mergeBranches(given, signal)
    expect(await mergeBranches(given, signal)).toEqual(first)
    expect(readFileSync(join(root, 'good.txt'), 'utf8')).toBe('x')
    const why = 'there is a link among its folders'
    expect(first.conflicts).toEqual([{ path: join(root, 'late/evil.txt'), branches: [0], why, state: null }])
    expect(readFileSync(join(root, 'out', 'evil.txt'), 'utf8')).toBe('x')
    expect(() => readFileSync(join(elsewhere, 'evil.txt'))).toThrow()
    rmSync(base, { recursive: true })
  })
})
