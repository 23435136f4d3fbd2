// The secret store: keys, values, grants, rotation, over a real SQLite file.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InvalidInput, NotFound, Unavailable } from '../../src/base/errors.ts'
import { Denied } from '../../src/secrets/secrets.ts'
import { useBench } from './bench.ts'

const bench = useBench()
const value = 'correct horse battery staple'
const by = 'user:ada'

describe('where the key is', () => {
  test('[V1] without a keyring and a passphrase the key is in a file of mode 0600 in a folder of mode 0700', async () => {
    const secrets = await bench().open()
    expect(secrets.keptIn).toBe(null)
    await secrets.set({ name: 'mail', value }, by)
    expect(secrets.keptIn).toBe('file')
    const folder = join(bench().home, 'keys')
    const [file = ''] = readdirSync(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(await (await bench().open()).value('mail')).toBe(value)
  })

  test('[V1] where there is a keyring the key is in it, and in no file', async () => {
    bench().keyring = new Map()
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value }, by)
    expect(secrets.keptIn).toBe('keyring')
    expect(existsSync(join(bench().home, 'keys'))).toBe(false)
    expect(await (await bench().open()).value('mail')).toBe(value)
    bench().keyring = null
    const locked = await bench().open()
    expect(locked.locked).toMatch(/keyring, which can't be asked now.*None is lost/)
  })

  test('[V1] a keyring that takes nothing is passed over', async () => {
    const broken = { get: async () => null, set: async () => Promise.reject(new Error('locked')), remove: async () => {} }
    const secrets = await bench().open({ keyring: async () => broken })
    await secrets.set({ name: 'mail', value }, by)
    expect(secrets.keptIn).toBe('file')
  })

  test('[V1] where no key can be written nothing is kept, and it is said why; later it can be', async () => {
    writeFileSync(join(bench().home, 'keys'), 'no folder')
    const secrets = await bench().open()
    await expect(secrets.set({ name: 'mail', value }, by)).rejects.toThrow(Unavailable)
    await expect(secrets.set({ name: 'mail', value }, by)).rejects.toThrow(/key of the secrets can't be written: .*nothing was kept/)
    expect(await secrets.list()).toEqual([])
    rmSync(join(bench().home, 'keys'))
    await secrets.set({ name: 'mail', value }, by)
    expect(await secrets.value('mail')).toBe(value)
  })

  test('[V1] a missing or wrong key closes the store, loses nothing, and is said in a sentence', async () => {
    const first = await bench().open({ passphrase: 'a long passphrase' })
    await first.set({ name: 'mail', value, agents: ['*'] }, by)
    for (const [passphrase, why] of [
      [null, /set STEWARD_PASSPHRASE or STEWARD_PASSPHRASE_FILE/],
      ['another passphrase', /not the passphrase that they were kept under/],
    ] as const) {
      const locked = await bench().open({ passphrase })
      expect(locked.locked).toMatch(why)
      expect((await locked.list()).map((one) => one.name)).toEqual(['mail'])
      await expect(locked.value('mail')).rejects.toThrow(Unavailable)
      await expect(locked.set({ name: 'other', value }, by)).rejects.toThrow(why)
      await expect(locked.resolve('{{secret:mail}}', { agent: 'quick' })).rejects.toThrow(Denied)
      await expect(locked.seal(`key ghp_${'a1B2'.repeat(9)}`)).rejects.toThrow(/looks like a secret \(github\)/)
      expect(await locked.seal('plain words')).toBe('plain words')
    }
    expect(await (await bench().open({ passphrase: 'a long passphrase' })).value('mail')).toBe(value)
  })

  test('[V1] a key file that is gone is named', async () => {
    await (await bench().open()).set({ name: 'mail', value }, by)
    rmSync(join(bench().home, 'keys'), { recursive: true })
    expect((await bench().open()).locked).toMatch(/key file .*\.key is gone: put it back/)
  })

  test('[V1] a value under another name or version does not open, and the others still do', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value }, by)
    await secrets.set({ name: 'bank', value: 'another value' }, by)
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(join(bench().home, 'steward.db'))
    db.exec("update secret_values set cipher = (select cipher from secret_values where name = 'bank') where name = 'mail'")
    db.close()
    const after = await bench().open()
    expect([await after.value('mail'), await after.value('bank')]).toEqual([null, 'another value'])
    expect(bench().lines.join('\n')).toContain('damaged')
  })

  test('[V4] a passphrase that is given later takes the key over from its file', async () => {
    await (await bench().open()).set({ name: 'mail', value }, by)
    const moved = await bench().open({ passphrase: 'a long passphrase' })
    expect([moved.keptIn, readdirSync(join(bench().home, 'keys'))]).toEqual(['passphrase', []])
    expect((await bench().open()).locked).toMatch(/under a passphrase/)
    expect(await (await bench().open({ passphrase: 'a long passphrase' })).value('mail')).toBe(value)
  })
})

describe('values', () => {
  test('[V4] a new value of a known name is its next version; texts with an old one are still sealed', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value, agents: ['quick'] }, by)
    bench().clock.advance(1000)
    const rotated = await secrets.set({ name: 'mail', value: 'a second value' }, by)
    expect(rotated).toMatchObject({ version: 2, agents: ['quick'], rotatedAt: bench().clock.now() })
    expect(await secrets.seal(`${value} and a second value`)).toBe('{{secret:mail}} and {{secret:mail}}')
    const again = await bench().open()
    expect(await again.value('mail')).toBe('a second value')
    expect(again.scrub(value)).toBe('{{secret:mail}}')
  })

  test('[V4] a new key loses no value and no name; nothing is left under the old one', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value }, by)
    const found = await secrets.seal(`ghp_${'a1B2'.repeat(9)}`)
    const before = readdirSync(join(bench().home, 'keys'))
    await secrets.rotateKey(by)
    const after = readdirSync(join(bench().home, 'keys'))
    expect([before.length, after.length, before[0] === after[0]]).toEqual([1, 1, false])
    const again = await bench().open()
    expect(await again.value('mail')).toBe(value)
    expect(await again.seal(`ghp_${'a1B2'.repeat(9)}`)).toBe(found)
    await again.remove(found.slice(9, -2), by)
    expect(await again.seal(`ghp_${'a1B2'.repeat(9)}`)).toBe(found)
  })

  test('[V4] the key leaves under a passphrase only, and opens a store whose key was lost', async () => {
    const secrets = await bench().open()
    await expect(secrets.exportKey('a long passphrase')).rejects.toThrow('no key to carry away')
    await secrets.set({ name: 'mail', value }, by)
    await expect(secrets.exportKey('short')).rejects.toThrow('at least 12 characters')
    const exported = await secrets.exportKey('a long passphrase')
    rmSync(join(bench().home, 'keys'), { recursive: true })
    const lost = await bench().open()
    await expect(lost.importKey(exported, 'a wrong passphrase', by)).rejects.toThrow('not the one that the key was exported under')
    await expect(lost.importKey('{}', 'a long passphrase', by)).rejects.toThrow(InvalidInput)
    await lost.importKey(exported, 'a long passphrase', by)
    expect([lost.locked, await lost.value('mail')]).toEqual([null, value])
    expect(await (await bench().open()).value('mail')).toBe(value)
  })

  test.each([
    [{ name: 'Mail', value }, /name "Mail" is not possible: allowed are/],
    [{ name: 'env.mail', value }, /hub's own settings/],
    [{ name: 'mail', value: 'tiny' }, /8 to 65536 characters/],
    [{ name: 'mail', value: ` ${value}` }, /without white space around/],
    [{ name: 'mail', value, agents: ['a b'] }, /"a b" is no name of an agent/],
    [{ name: 'mail', value, hosts: ['ftp://x'] }, /"ftp:\/\/x" is no host/],
  ])('[V5] what is wrong with %j is named, the value is not shown', async (given, sentence) => {
    const secrets = await bench().open()
    const error: unknown = await secrets.set(given, by).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidInput)
    expect(String(error)).toMatch(sentence)
    expect(String(error)).not.toContain(given.value)
  })

  test('[V1] a value is nowhere in the files, also after it was replaced and removed', async () => {
    const secrets = await bench().open()
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
    await secrets.set({ name: 'mail', value: random }, by)
    await secrets.set({ name: 'mail', value: `${random}-2` }, by)
    await secrets.remove('mail', by)
    for (const file of readdirSync(bench().home, { recursive: true, encoding: 'utf8' })) {
      const path = join(bench().home, file)
      if (statSync(path).isFile()) expect(readFileSync(path).includes(random)).toBe(false)
    }
    expect(await secrets.remove('mail', by)).toBe(false)
  })
})

describe('use', () => {
  test('[V3] only an agent that it was granted to may use it, only there, and that is remembered', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value, agents: ['quick'], hosts: ['api.example.org', 'http://localhost:8080/x'] }, by)
    const use = { agent: 'quick', host: 'https://api.example.org/v1/send' }
    bench().clock.advance(5000)
    expect(await secrets.resolve('Bearer {{secret:mail}}!', use)).toBe(`Bearer ${value}!`)
    expect((await secrets.list())[0]).toMatchObject({
      hosts: ['http://localhost:8080', 'https://api.example.org'],
      lastUsedAt: bench().clock.now(),
    })
    const denied = async (agent: string, host?: string) =>
      expect(secrets.resolve('{{secret:mail}}', host === undefined ? { agent } : { agent, host })).rejects.toThrow(Denied)
    await denied('scout', use.host)
    await denied('quick')
    await denied('quick', 'https://api.example.org.evil.test')
    await denied('quick', 'http://api.example.org')
    await denied('quick', 'https://user@api.example.org')
    await expect(secrets.resolve('{{secret:none}}', use)).rejects.toThrow('there is no secret none')
    expect(await secrets.resolve('nothing here', { agent: 'scout' })).toBe('nothing here')
  })

  test('[V3] a found one is usable by nobody until a person grants it', async () => {
    const secrets = await bench().open()
    const token = `ghp_${'a1B2'.repeat(9)}`
    const text = await secrets.seal(`token: ${token}`)
    const [info] = await secrets.list()
    expect(info).toMatchObject({ origin: 'found', agents: [], name: expect.stringMatching(/^github-[0-9a-f]{12}$/) })
    await expect(secrets.resolve(text, { agent: 'quick' })).rejects.toThrow(/quick may not use the secret github-/)
    await secrets.grant(info?.name ?? '', { agents: ['*'] }, by)
    expect(await secrets.resolve(text, { agent: 'quick' })).toBe(`token: ${token}`)
    await expect(secrets.grant('none', { agents: ['*'] }, by)).rejects.toThrow(NotFound)
  })

  test("[V3] the hub's own settings become references that nobody may resolve", async () => {
    const secrets = await bench().open({ own: { OPENAI_API_KEY: 'own-key-of-the-hub' } })
    const text = await secrets.seal('it is own-key-of-the-hub')
    expect(text).toBe('it is {{secret:env.openai_api_key}}')
    await expect(secrets.resolve(text, { agent: 'quick' })).rejects.toThrow('a setting of the hub itself')
    expect(await secrets.list()).toEqual([])
  })

  test('[V5] what happened is told by name, never by value', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value }, by)
    await secrets.grant('mail', { agents: ['quick'] }, by)
    await secrets.set({ name: 'mail', value: 'a second value' }, by)
    await secrets.seal(`ghp_${'a1B2'.repeat(9)}`)
    await secrets.remove('mail', by)
    await secrets.close()
    expect(bench().facts.map((fact) => fact.change)).toEqual(['set', 'granted', 'rotated', 'found', 'removed'])
    expect(JSON.stringify(bench().facts)).not.toMatch(/staple|second value|a1B2/)
  })

  test('[V5] a copy of a file with a secret is kept encrypted, and comes back byte by byte also after the key has changed', async () => {
    const secrets = await bench().open()
    await secrets.set({ name: 'mail', value }, by)
    const plain = Buffer.from([0, 255, 10, 13])
    expect(await secrets.lockBytes(plain)).toBe(plain)
    const file = Buffer.concat([Buffer.from(`PASS=${value}\r\n`), plain])
    const kept = await secrets.lockBytes(file)
    expect(Buffer.from(kept).includes(value)).toBe(false)
    const twice = await secrets.lockBytes(kept)
    await secrets.rotateKey(by)
    await secrets.remove('mail', by)
    const again = await bench().open()
    expect(Buffer.from(await again.unlockBytes(kept)).equals(file)).toBe(true)
    expect(Buffer.from(await again.unlockBytes(twice)).equals(kept)).toBe(true)
    expect(await again.unlockBytes(plain)).toBe(plain)
    rmSync(join(bench().home, 'keys'), { recursive: true })
    await expect((await bench().open()).unlockBytes(kept)).rejects.toThrow(Unavailable)
  })

  test('[V1] a key file that others could read is narrowed', async () => {
    await (await bench().open()).set({ name: 'mail', value }, by)
    const folder = join(bench().home, 'keys')
    const file = join(folder, readdirSync(folder)[0] ?? '')
    writeFileSync(file, readFileSync(file), { mode: 0o644 })
    await bench().open()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
