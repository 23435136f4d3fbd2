import { expect, test } from 'vitest'
import { type LogFields, scrubbed } from './log.ts'

test('[V5] every text of a line is scrubbed, however deep, and a ring ends', () => {
  const lines: [string, LogFields | undefined][] = []
  const { log, scrubWith } = scrubbed((_, what, fields) => void lines.push([what, fields]))
  log('info', 'before secret', { a: 'secret' })
  scrubWith((text) => text.replaceAll('secret', '***'))
  const ring: Record<string, unknown> = { name: 'secret' }
  ring['self'] = ring
  log('warn', 'a secret', { a: 'secret', b: [{ c: 'secret' }, 5, null], error: new Error('no secret'), ring })
  log('info', 'plain')
  expect(lines[0]).toEqual(['before secret', { a: 'secret' }])
  expect(JSON.stringify(lines.slice(1))).not.toContain('secret')
  expect(lines[1]).toMatchObject(['a ***', { a: '***', b: [{ c: '***' }, 5, null], error: 'no ***' }])
  expect(lines[2]).toEqual(['plain', undefined])
})
