// Whatever a text holds, an answer is whole: pieces that mean something, put together by chance from a seed.
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import type { CortexAnswer } from '../../src/routing/cortex.ts'
import type { RouteContext } from '../../src/routing/table.ts'
import { bundledTable, foreignTable } from './tables.ts'

const pieces = [
  ...[
    'fix',
    ' the ',
    ' a ',
    '`',
    ' and ',
    ' or ',
    '?',
    '. ',
    ', ',
    '\n',
    '- ',
    '@',
    'vivi',
    'FORGE',
    ':',
    'lege ',
    ' an',
    ' um',
    '\u0000',
    '\ud800',
  ],
  ...[
    'İ',
    'ß',
    'e\u0301',
    '\u200b',
    "don't ",
    '12 ',
    'files ',
    'src/a.ts ',
    'then ',
    'which ',
    'if ',
    'ü',
    'plan ',
    'nichts ',
    'zu ',
    'ohne ',
    'ask ',
  ],
  ...['rename the ', 'everywhere ', 'trip ', '…', '/', '.', '’', "'", 'document ', 'commit ', 'greenfield ', 'trance ', 'entire monorepo '],
]

function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function faultsOf(answer: CortexAnswer, { answered }: RouteContext, names: ReadonlySet<string>): readonly string[] {
  const { decision, selected, chain, confidence, clarification, gates } = answer
  const questions = clarification?.questions ?? []
  const none = decision === 'clarify' || decision === 'leave'
  return [
    none === (selected.length === 0) ? '' : 'somebody is chosen exactly when there is work',
    selected.every((name) => names.has(name)) && new Set(selected).size === selected.length ? '' : 'each is a member, once',
    (decision === 'chain') === chain.length > 1 && (decision !== 'chain' || chain.length === selected.length)
      ? ''
      : 'a chain has its steps',
    confidence >= 0 && confidence <= 1 ? '' : 'confidence is between 0 and 1',
    decision === 'clarify' ? (questions.length >= 1 && questions.length <= 3 ? '' : 'one to three questions') : '',
    questions.every(({ options }) => options.length >= 2 && options.length <= 4) ? '' : 'two to four answers',
    answered === true && decision === 'clarify' ? 'no second round' : '',
    gates.length === 17 ? '' : 'all gates are told',
  ].filter((fault) => fault !== '')
}

const tables = [bundledTable(), foreignTable()].flatMap((table) => (table === null ? [] : [table]))

describe.each(tables.map((table) => ({ members: table.members.length, table })))('a table of $members members', ({ table }) => {
  test('[R9, R16, R18] any text has a whole answer, and the same one again', () => {
    const [cortex, again] = [compileCortex(table), compileCortex(table)]
    const names = new Set(table.members.map(({ name }) => name))
    for (let seed = 1; seed <= 4_000; seed += 1) {
      const pick = numbers(seed)
      const text = Array.from({ length: pick(18) }, () => pieces[pick(pieces.length)] ?? '').join('')
      const context = { answered: pick(2) === 1, tranceToken: pick(2) === 1, surfaceFiles: pick(60) }
      const answer = cortex.decide(text, context)
      expect({ seed, text, faults: faultsOf(answer, context, names) }).toEqual({ seed, text, faults: [] })
      expect(JSON.stringify(again.decide(text, context))).toBe(JSON.stringify(answer))
    }
  })
})
