import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginMarker, endMarker, sectionIn, withoutSection, withSection } from './embedded.ts'

const block = (text: string, eol = '\n') => [beginMarker, ...text.split('\n'), endMarker].join(eol)

test('it goes to the end behind an empty line, and the file ends as it ended', () => {
  expect(withSection(null, 'a')).toBe(`${block('a')}\n`)
  expect(withSection('', 'a')).toBe(`${block('a')}\n`)
  expect(withSection('# Mine\n', 'a\nb')).toBe(`# Mine\n\n${block('a\nb')}\n`)
  expect(withSection('# Mine', 'a')).toBe(`# Mine\n\n${block('a')}`)
  expect(withSection('\ufeff# Mine\r\nx\r\n', 'a\nb')).toBe(`\ufeff# Mine\r\nx\r\n\r\n${block('a\nb', '\r\n')}\r\n`)
})

test('only what stands between the markers is replaced', () => {
  const file = `one\r\ntwo\n  ${'three \n'}${block('old\nlines')}\nfour\r\n\r\n`
  expect(withSection(file, 'new')).toBe(file.replace(block('old\nlines'), block('new', '\r\n')))
  expect(sectionIn(file)).toBe('old\nlines')
  expect(sectionIn('nothing')).toBeNull()
})

test.each([
  ['two begins', `${beginMarker}\n${beginMarker}\n${endMarker}\n`],
  ['two pairs', `${block('a')}\n${block('b')}\n`],
  ['nested', `${beginMarker}\n${block('a')}\n${endMarker}`],
  ['no end', `x\n${beginMarker}\ny`],
  ['no begin', `x\n${endMarker}\ny`],
  ['the wrong way round', `${endMarker}\n${beginMarker}\n`],
  ['inside a line', `see ${beginMarker}\n${endMarker}\n`],
  ['something behind it', `${beginMarker} x\n${endMarker}\n`],
  ['both in one line', `${beginMarker}${endMarker}\n`],
  ['written otherwise, and doubled', `<!--STEWARD:CORTEX begin-->\n${block('a')}\n`],
])('unclear markers are refused with their lines: %s', (_, file) => {
  for (const act of [() => withSection(file, 'new'), () => withoutSection(file), () => sectionIn(file)]) expect(act).toThrow(/line \d/)
})

test('property: again is the same, what is read back is what was put there, and taken out all is as before', () => {
  const piece = fc.constantFrom('a', '# b', '\n', '\r\n', '\n\n', ' ', '\t', 'ß', '<!--', '-->', '\r')
  const file = fc
    .tuple(fc.boolean(), fc.array(piece, { maxLength: 12 }))
    .map(([mark, parts]) => `${mark ? '\ufeff' : ''}${parts.join('')}`)
    .filter((text) => !text.endsWith('\r'))
  const section = fc.array(fc.constantFrom('x', '', '- y', 'ü'), { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(file, section, section, (before, one, two) => {
      const first = withSection(before, one)
      expect(withSection(first, one)).toBe(first)
      expect(sectionIn(first)).toBe(one)
      expect(withSection(first, two)).toBe(withSection(before, two))
      expect(withoutSection(first)).toBe(before)
    }),
    { seed: 20261130, numRuns: 3_000 },
  )
})
