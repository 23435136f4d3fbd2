// What is asked by the shape of a sentence, and slips in long verbs: the bundled table, sentences of our own.
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import { bundledTable } from './tables.ts'

const table = bundledTable()
const cortex = compileCortex(table)
const classOf = new Map(table.members.map(({ name, class: kind }) => [name, kind]))

function found(text: string): string {
  const { decision, selected } = cortex.decide(text)
  return decision === 'leave' || decision === 'clarify' ? decision : [...new Set(selected.map((name) => classOf.get(name)))].join('>')
}

describe('[R12] the shape of a question', () => {
  test.each([
    ['Should the scheduler keep its state in SQLite, in memory or in Redis?', 'reasoner'],
    ['MariaDB or SQLite for the cache?', 'reasoner'],
    ['Should I take the blue coat or the green one?', 'leave'],
    ['Tea or coffee for you?', 'leave'],
    ['What makes the importer so slow?', 'debugger'],
    ['What makes the sky blue?', 'leave'],
    ['Find the leak in the worker pool.', 'debugger'],
    ['Find the leak in my bathroom.', 'leave'],
    ['Is formatPrice still called?', 'scout'],
    ['Wird formatPrice noch aufgerufen?', 'scout'],
    ['Wo werden die Gutscheine gespeichert?', 'scout'],
    ['The footer should show the year.', 'coder'],
    ['The meeting should be short.', 'leave'],
    ['Mach die Spalte breiter', 'coder'],
    ['Which library would fit our API best?', 'reasoner'],
    ['Explain the deployment in the wiki.', 'scriber'],
  ])('%s', (text, want) => {
    expect(found(text)).toBe(want)
  })
})

describe('[R11] what is said of a verb', () => {
  test.each([
    ['The design of the new page is lovely.', 'leave'],
    ["Don't make a plan, fix the parser.", 'coder'],
    ['Write a spec for the export, no code.', 'planner'],
    ['Set the level in log.yaml to debug.', 'executor'],
    ['Handle the case where the folder is missing.', 'coder'],
    ['Lena believes we should rewrite the parser, but find out why it hangs.', 'debugger'],
  ])('%s', (text, want) => {
    expect(found(text)).toBe(want)
  })
})

describe('[R11] one slip in a long verb that orders', () => {
  test.each(['implment', 'implememt', 'implementt', 'impelment'])('%s', (verb) => {
    expect(found(`${verb} the parser for config.yaml`)).toBe('coder')
  })

  test('not in short verbs, not two of them, not where something else speaks', () => {
    expect(found('fxi the parser')).not.toBe('coder')
    expect(found('implmnt the parser')).not.toBe('coder')
    expect(found('implment the parser, then explain how the loader works')).toBe('scout')
  })

  test('a word is left as it is where no thing follows', () => {
    expect(found('product reviews of the cache library')).toBe('leave')
  })
})
