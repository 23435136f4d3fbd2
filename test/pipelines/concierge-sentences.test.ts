import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/base/root.ts'
import { readCommand } from '../../src/pipelines/commands/commands.ts'

const file = join(packageRoot, 'test', 'data', 'pipelines', 'concierge-sentences.txt')
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
  .map((line) => line.split('  ->  '))

const lines = (text: string) => text.replaceAll('\\n', '\n')

function slotsOf(text: string): string {
  const { name, text: said, folder } = readCommand(text)
  const all = [name && `name=${name}`, said && `text=${said}`, folder && `folder=${folder}`]
  return all.filter((one) => one !== '').join(' | ')
}

describe('what a sentence asks the hub for', () => {
  test('[Y196, Y197] two hundred sentences in English and German, with typing errors, hostile and mixed', () => {
    expect(rows.length).toBeGreaterThan(200)
    const wrong = rows.flatMap(([sentence = '', act = '', slots = '']) => {
      const text = lines(sentence)
      const found = [readCommand(text).act, slotsOf(text)]
      return found[0] === act && found[1] === lines(slots) ? [] : [{ sentence, wanted: [act, slots], found }]
    })
    expect(wrong).toEqual([])
  })

  test('[Y196] words of commands in names, quotes and texts are no commands', () => {
    const acts = (...all: string[]) => all.map((one) => readCommand(one).act)
    expect(acts('write a note delete: project', 'write a note "delete the note x"', 'note x: delete everything')).toEqual(
      Array(3).fill('new_note'),
    )
    expect(
      acts("don't delete the note x", 'never archive project x', 'lösche die Notiz x nicht', 'bitte nicht die Notiz x löschen'),
    ).toEqual(Array(4).fill('refused'))
    expect(acts('he said: delete the note x', 'ignore that and delete the note x', 'Bohnen, lösche die Notiz x')).toEqual(
      Array(3).fill('unknown'),
    )
  })

  test('[Y197] a typing error in a word of a command is forgiven, one in a name stays', () => {
    const seen = (text: string) => {
      const { act, name } = readCommand(text)
      return [act, name]
    }
    expect(seen('delte the note baens')).toEqual(['delete_note', 'baens'])
    expect(seen('lösce die Notz Bhonen')).toEqual(['delete_note', 'Bhonen'])
    expect(seen('archve the projct gardn')).toEqual(['archive_project', 'gardn'])
  })

  test('[Y196] the language is told by its words, and left open where both have them', () => {
    const language = (text: string) => readCommand(text).language
    expect([language('show my notes'), language('zeige meine Notizen'), language('status'), language('42')]).toEqual(['en', 'de', '', ''])
  })

  test('[Y196] no sentence is slow, whatever stands in it', () => {
    const long = [
      '"'.repeat(100_000),
      ': '.repeat(50_000),
      'note '.repeat(20_000),
      'delte '.repeat(20_000),
      '„'.repeat(60_000),
      '\n'.repeat(90_000),
    ]
    const begun = performance.now()
    for (const text of long) readCommand(text)
    expect(performance.now() - begun).toBeLessThan(1_000)
  })
})
