import { describe, expect, test } from 'vitest'
import { findSecrets } from './find.ts'
import { isSecretName } from './names.ts'

const strong = 'a1b2c3d4e5f6a7b8c9d0'
const foundIn = (text: string) => findSecrets(text).map(({ start, end }) => text.slice(start, end))

describe('by what stands around it', () => {
  test.each([
    [
      'a short block of a key',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEabc=\n-----END RSA PRIVATE KEY-----',
      /^-----BEGIN[\s\S]*END RSA PRIVATE KEY-----$/,
    ],
    ['the same in JSON', '{"k":"-----BEGIN PRIVATE KEY-----\\nabcd\\n-----END PRIVATE KEY-----"}', /abcd/],
    ['a header without a scheme', `Authorization: ${strong}`, /^a1b2/],
    ['an assignment with spaces', `API_KEY = "${strong}"`, /^a1b2/],
    ['the same without quotes', `SECRET_KEY   =   ${strong}`, /^a1b2/],
    ['a proxy', 'Proxy-Authorization: Basic YWRhOmxvdmVsYWNl', /^YWRh/],
  ])('%s', (_what, text, value) => {
    expect(foundIn(text)).toEqual([expect.stringMatching(value)])
  })

  test.each([
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'a line that begins with -----BEGIN PRIVATE KEY----- is one',
    'Authorization: this.config.token',
    'authorization: z.string().optional()',
    'Authorization: required',
    "TOKEN = 'comma'",
    'const API_KEY = process.env.OPENAI_API_KEY',
    'API_KEY = os.environ["OPENAI_API_KEY_2024"]',
    'MAX_TOKENS=5',
    'PRIMARY_KEY=id',
  ])('none: %s', (text) => expect(foundIn(text)).toEqual([]))
})

describe('names', () => {
  test.each([
    'authorizationHeader',
    'cookies',
    'tokenValue',
    'password_hash',
    'passwords',
    'apiKeys',
    'password2',
    'OPENAI_API_KEY_2',
    'secrets',
  ])('%s holds one', (name) => expect(isSecretName(name)).toBe(true))
  test.each([
    'tokenCount',
    'tokenType',
    'passwordless',
    'passwordPolicy',
    'secretariat',
    'cookieConsent',
    'value',
    'header',
    'hash',
    'key2',
    'tokens',
  ])('%s holds none', (name) => expect(isSecretName(name)).toBe(false))
})
