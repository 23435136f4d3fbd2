import { describe, expect, test } from 'vitest'
import { hasPath, isQuestion } from './form.ts'

describe('whether a text asks', () => {
  const asks = [
    'Which port?',
    'how is it done',
    'do we need it',
    'HAVE you seen it',
    "isn't it late?",
    'the loader?',
    '  why\n',
    'what now? go. ok',
  ]
  const asksNot = [
    'do the migration in a.ts',
    'have a look at it',
    'can you fix it?',
    'please, is it late?',
    'couldnt we fix it?',
    'add a retry?',
    'Refactor it, ok?',
    'fix it. is that ok?',
    "isn't it late",
    'the loader',
    '',
    '. what?',
  ]
  test.each(asks)('[R2] asks: %j', (text) => expect(isQuestion(text)).toBe(true))
  test.each(asksNot)('[R2] asks not: %j', (text) => expect(isQuestion(text)).toBe(false))

  test('[R2] only spaces part words, and signs are left out as if they were not there', () => {
    expect(isQuestion('what\nis it')).toBe(false)
    expect(isQuestion('w-h-a-t is it')).toBe(true)
    expect(isQuestion('fix\u00e9 it?')).toBe(false)
  })
})

describe('whether a text names a file', () => {
  test.each(['look at src/a', 'A.TS', 'the 30.5s', 'e.g this', '.a.b', 'say a/b!', 'x\ny/z', 'b.ts\n'])('[R2] yes: %j', (text) =>
    expect(hasPath(text)).toBe(true),
  )
  test.each(['1/2', 'a. b', 'done.', '.ts', 'a.ts,', '`a.ts`', 'ä.ts', 'x\tb.ts', ''])('[R2] no: %j', (text) =>
    expect(hasPath(text)).toBe(false),
  )
})
