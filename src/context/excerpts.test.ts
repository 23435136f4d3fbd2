import { expect, test } from 'vitest'
import type { Message } from '../protocol/message.ts'
import { chosenExcerpts, namedLines, openOlderLines, quotation, stemsOf } from './excerpts.ts'

const line = (at: number, role: Message['role'], text: string): Message => ({
  ...{
    id: `msg_${String(at).padStart(26, '0')}`,
    session: 's',
    parent: null,
    role,
    actor: 'a',
    text,
    status: 'settled',
    at: '',
    cursor: '',
  },
})
const index = (texts: readonly string[]) => {
  const older = openOlderLines()
  older.add(texts.map((text, at) => line(at, at % 2 ? 'assistant' : 'user', text)))
  return { find: (question: string) => older.find(question, 4).map((id) => Number(id.slice(4))), older }
}

test('[X7] a rare word finds its line, and the answer behind it', () => {
  const texts = Array.from({ length: 200 }, (_, at) => (at === 24 ? 'We chose Postgres.' : `the beds and the beans, ${at}`))
  const { find } = index(texts)
  expect(find('Did we decide on PostgreSQL?').slice(0, 2)).toEqual([24, 25])
  expect(find('the beans and the beds')).toEqual([])
  expect(find('what about 77')).toEqual([77])
})

test('[X7] words meet by their beginning, without accents, and in scripts without spaces', () => {
  expect(index(['Die Entscheidung fiel für Grün', 'ja']).find('was wurde entschieden')).toEqual([0, 1])
  expect(stemsOf('Grün')).toEqual(stemsOf('grun'))
  expect(index(['我们选择了数据库', '好', '天气很好', '是']).find('哪个数据库')).toEqual([0, 1])
})

test('[X7] a long line is quoted around what fits, and the best that fit are given in their order', () => {
  const long = line(3, 'assistant', `${'word '.repeat(400)}the secret port is 4180 ${'word '.repeat(400)}`)
  const { at, length } = quotation(long, 'which port?')
  expect(long.text.slice(at, at + length)).toContain('the secret port is 4180')
  const found = [quotation(line(9, 'user', 'b'.repeat(300)), ''), quotation(line(1, 'user', 'a'.repeat(300)), '')]
  expect(chosenExcerpts(found, 10_000).map(({ message }) => message.id.slice(-1))).toEqual(['1', '9'])
  expect(chosenExcerpts(found, 600).map(({ message }) => message.id.slice(-1))).toEqual(['9'])
  expect(chosenExcerpts(found, 100)).toEqual([])
})

test('[X7] an id of a line that is named is heard, what only looks like one is not', () => {
  const id = line(7, 'user', '').id
  expect(namedLines(`see ${id}, and msg_short`)).toEqual([id])
})
