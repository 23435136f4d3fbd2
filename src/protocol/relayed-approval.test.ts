import { expect, test } from 'vitest'
import { isRelayOf, relayLine } from './relayed-approval.ts'

const why = 'It deletes.'
const consequences = 'The file is gone.'
const approval = { text: `May assistant run file_delete on old.txt? ${consequences} ${why}`, why, consequences }
const line = (text: string, role = 'assistant') => ({ role, text })

test('a relayed approval is one short sentence, and is known as such while its card stands', () => {
  const text = relayLine({ agent: 'assistant', title: 'Shop audit' }, 'May assistant run file_delete on old.txt?')
  expect(text).toBe(
    'Assistant in Shop audit asks: May assistant run file_delete on old.txt? Answer in the card below or with `steward approvals`.',
  )
  expect(isRelayOf(line(text), [approval])).toBe(true)
  expect(isRelayOf(line(text), [])).toBe(false)
  expect(isRelayOf(line(text, 'user'), [approval])).toBe(false)
  expect(isRelayOf(line(`${text} And more.`), [approval])).toBe(false)
  expect(isRelayOf(line(text), [{ ...approval, text: 'May assistant run file_delete on new.txt?' }])).toBe(false)
})

test('a long asking is cut in the line, and known all the same', () => {
  const asked = `May quick run exec_run on ${'x'.repeat(600)}?`
  const text = relayLine({ agent: 'quick', title: '' }, asked)
  expect(text).toMatch(/^Quick asks: May quick run exec_run on x+\.\.\. Answer/)
  expect(text.length).toBeLessThan(500)
  expect(isRelayOf(line(text), [{ text: asked, why: '', consequences: '' }])).toBe(true)
})
