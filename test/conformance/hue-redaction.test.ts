// HUE's recorded cases of redaction. Where it wrote a mask Steward writes a reference, so that nothing is damaged (docs/compatibility.md).
import { expect, test } from 'vitest'
import { useBench } from '../secrets/bench.ts'
import { describeShared } from '../shared.ts'

const bench = useBench()
const reference = expect.stringMatching(/^\{\{secret:[a-z-]+-[0-9a-f]{12}\}\}$/)

type Case = { readonly id: string; readonly in: unknown; readonly out?: unknown }
type Check = (given: unknown) => Promise<void>

const sealed = async (given: unknown) => {
  const secrets = await bench().open()
  return typeof given === 'string' ? secrets.seal(given) : secrets.sealJson(given, { names: true })
}

const checks: Readonly<Record<string, Check>> = {
  'rd-key': async (given) => expect(await sealed(given)).toEqual({ OPENAI_API_KEY: reference }),
  'rd-set-cookie': async (given) => expect(await sealed(given)).toEqual({ 'set-cookie': reference }),
  // The scheme is no secret: it stays, so that the reference is the token and nothing else.
  'rd-bearer': async (given) => expect(await sealed(given)).toMatch(/^Authorization: Bearer \{\{secret:bearer-[0-9a-f]{12}\}\}$/),
  'rd-assign': async (given) => expect(await sealed(given)).toMatch(/^export API_KEY=\{\{secret:env-[0-9a-f]{12}\}\}$/),
  // Only the password is taken out: the name and the query are no secrets, and the address still works.
  'rd-url': async (given) => expect(await sealed(given)).toMatch(/^https:\/\/u:\{\{secret:url-[0-9a-f]{12}\}\}@h\/x\?q=1$/),
  'rd-depth': async () => {
    let deep: unknown = Array.from({ length: 250 }, (_, i) => ({ n: i, token: 'x' }))
    for (let i = 0; i < 20; i++) deep = { inner: deep }
    const text = JSON.stringify(await sealed(deep))
    expect(text.match(/"token":"\{\{secret:field-/g)?.length).toBe(250)
    expect(text.match(/"inner":/g)?.length).toBe(20)
  },
}

/** A case that is read by its form: what stays the same, what is a reference in place of a mask, what is gone. */
async function checkByForm({ in: given, out }: Case): Promise<void> {
  const found = await sealed(given)
  if (JSON.stringify(out) === JSON.stringify(given) || /^(unchanged|same|kept|not )/.test(String(out))) return expect(found).toEqual(given)
  if (typeof given === 'object' && given !== null) {
    const masked = Object.entries(typeof out === 'object' && out !== null ? out : {})
    const kept = masked.filter(([, value]) => value !== '[REDACTED]').map(([name]) => name)
    for (const [name, value] of Object.entries({ ...(found as object) }))
      expect({ name, value }).toEqual({ name, value: kept.includes(name) ? Object(given)[name] : reference })
    return
  }
  expect(found).not.toBe(given)
  expect(found).toContain('{{secret:')
}

describeShared('[V2] redaction of HUE', 'hue/redaction.json', ({ rows }) => {
  const cases = rows.filter((row): row is Case => typeof row === 'object' && row !== null && 'id' in row && 'in' in row)
  test.each(cases.map((one) => [one.id, one] as const))('[V2] %s', (id, one) => checks[id]?.(one.in) ?? checkByForm(one))
})

test('[V2] names that only sound like secrets hold none', async () => {
  const given = {
    tokenCount: 5,
    tokens: 'many',
    maxTokens: 'x',
    nextPageToken: 'abc',
    author: 'Ada',
    authorized: 'yes',
    keyboard: 'de',
    monkey: 'm',
    secretary: 'Bob',
  }
  expect(await sealed(given)).toBe(given)
})

test('[V2] names of secrets in every spelling hold one', async () => {
  const names = [
    'api_key',
    'apiKey',
    'API-KEY',
    'X-Api-Key',
    'password',
    'dbPassword',
    'accessToken',
    'GITHUB_TOKEN',
    'client_secret',
    'Authorization',
    'cookie',
    'privateKey',
  ]
  for (const name of names) expect({ name, out: await sealed({ [name]: 'v' }) }).toEqual({ name, out: { [name]: reference } })
  expect(await sealed({ password: '{{secret:mail}}', empty: { password: '' } })).toEqual({
    password: '{{secret:mail}}',
    empty: { password: '' },
  })
})
