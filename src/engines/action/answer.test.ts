import { describe, expect, test } from 'vitest'
import { withoutFences } from './action.ts'
import { gateAnswer } from './answer.ts'

describe('a plain yes or no', () => {
  test.each(['Yep', 'yes please', 'GO  AHEAD!', 'In Ordnung.', 'freigegeben'])('%s is a yes', (text) => {
    expect(gateAnswer({ type: 'APPROVAL', text })).toEqual({ approved: true })
  })
  test.each(['Nein danke', 'no thanks.', 'Cancel', 'abbrechen!'])('%s is a no', (text) => {
    expect(gateAnswer({ type: 'APPROVAL', text })).toEqual({ approved: false })
  })
  test.each(['yes, but not today', 'no idea', 'yes?', 'ja und nein', 'not ok', 'okay then do the other one'])('%s is neither', (text) => {
    expect(gateAnswer({ type: 'APPROVAL', text })).toBeNull()
  })
})

describe('an option', () => {
  test.each([
    [' ABORT. ', 'abort'],
    ['Try  again', 'Try Again'],
    ['abort it', null],
    ['', null],
  ])('%j chooses %s', (text, chosen) => {
    expect(gateAnswer({ type: 'DECISION', text, options: ['Try Again', 'abort'] })).toEqual(chosen === null ? null : { chosen })
  })
})

test('a fence may name any language', () => {
  for (const name of ['', 'json', 'JSON', 'json5', 'c++', 'objective-c'])
    expect(withoutFences(`\`\`\`${name}\n{"a":1}\n\`\`\``)).toBe('{"a":1}')
})
