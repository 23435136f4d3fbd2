import { describe, expect, test } from 'vitest'
import { faultOf } from './fault.ts'
import { retryAfter } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1)
const where = { provider: 'openai', model: 'a', key: 'sk-secret-abcdef' }
const thrown = (statusCode: number, message: string, more: object = {}) => Object.assign(new Error(message), { statusCode, ...more })

describe('when to come back', () => {
  test.each<[string, Record<string, string>, string, number | null]>([
    ['seconds', { 'retry-after': '20' }, '', 20_000],
    ['parts of seconds', { 'retry-after': '1.5' }, '', 1_500],
    ['milliseconds', { 'retry-after-ms': '850', 'retry-after': '1' }, '', 850],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, '', 60_000],
    ['a date that is over', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, '', 1],
    ['nonsense', { 'retry-after': 'soon' }, '', null],
    ['what is below zero', { 'retry-after': '-5' }, '', null],
    ['when a limit is new', { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, '', 360_000],
    ['words', {}, 'Rate limit reached. Please try again in 20s. Visit ...', 20_000],
    ['longer words', {}, 'Please try again in 1m30.5s.', 90_500],
    ['shorter words', {}, 'Please try again in 850ms.', 850],
    ['Google', {}, '{"details":[{"retryDelay":"34s"}]}', 34_000],
    ['whole words', {}, 'retry in 2 minutes', 120_000],
    ['nothing', {}, 'try again later', null],
  ])('%s', (_, headers, body, ms) => {
    expect(retryAfter(headers, body, now)).toBe(ms)
  })
})

describe('what a failure means', () => {
  test.each([
    [thrown(429, 'Rate limit reached for a in organization org-1 on tokens per min (TPM)'), 'rate_limited', false],
    [thrown(429, 'You are over the rate limit for all models of this account'), 'rate_limited', true],
    [thrown(429, 'x', { data: { error: { code: 'insufficient_quota', message: 'x' } } }), 'quota', true],
    [thrown(401, 'no'), 'auth', true],
    [thrown(403, 'Your project does not have access to model a'), 'auth', false],
    [thrown(503, 'billing service is down'), 'overloaded', true],
    [thrown(429, 'input tokens per minute: the context window is large'), 'rate_limited', false],
  ])('%s', (error, code, isWide) => {
    const fault = faultOf(error, where, now)
    expect(fault.failure.code).toBe(code)
    if (code !== 'overloaded') expect(fault.isWide).toBe(isWide)
  })

  test.each([
    ["This model's maximum context length is 8,192 tokens. However, you requested 9000", 8_192],
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    ['input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000, decrease input length', 200_000],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['the request exceeds the available context size (4096 tokens)', 4_096],
    ['context window is full', null],
  ])('[M12] %s', (message, window) => {
    expect(faultOf(thrown(400, message), where, now)).toMatchObject({ failure: { code: 'context_length' }, window })
  })

  test('a refused connection costs nothing, one that broke may', () => {
    const refusedAt = Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
    expect(faultOf(refusedAt, where, now)).toMatchObject({ failure: { code: 'network' }, mayCost: false })
    expect(faultOf(new TypeError('terminated'), where, now)).toMatchObject({ failure: { code: 'network' }, mayCost: true })
  })

  test('[M7] no key, also not Google’s', () => {
    const fault = faultOf(thrown(400, 'API key AIzaSyA1234567890abcdef is not valid, nor sk-secret-abcdef'), where, now)
    expect(fault.failure.message).not.toMatch(/abcdef/)
  })
})

test('words of a broken answer that only sound like a broken line are no fault of the network', () => {
  const parsing = new Error('JSON parsing failed: Unterminated string in JSON at position 8')
  expect(faultOf(parsing, where, now).failure.code).toBe('bad_reply')
})
