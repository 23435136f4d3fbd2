import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProcessId } from '../../src/base/ids.ts'
import type { Json } from '../../src/base/json.ts'
import { languageOf } from '../../src/scopes/language.ts'
import type { ScopeRef, SettingPlace } from '../../src/scopes/scopes.ts'
import { type Bench, openBench } from './bench.ts'

let bench: Bench
let scope: ScopeRef & { process: ProcessId }
beforeEach(async () => {
  bench = await openBench()
  await bench.scopes.projects.create({ name: 'garden' }, 'user:ada')
  const { value } = await bench.scopes.sessions.create({ user: 'ada', project: 'garden' }, 'user:ada')
  scope = { process: value.process as ProcessId, user: 'ada', project: 'garden' }
})
afterEach(() => bench.close())

const set = (level: SettingPlace['level'], name: string, key: string, value: Json, more = {}) =>
  bench.scopes.settings.set({ level, scope: name, key, value, ...more }, 'user:ada')

describe('settings', () => {
  test('[P17] process, project, tenant; the user only where that is asked for', async () => {
    const { settings } = bench.scopes
    const both = async () => [await settings.get('k', scope), await settings.getForUser('k', scope)]
    expect(await both()).toEqual([null, null])
    await set('tenant', '_tenant', 'k', 't')
    expect(await both()).toEqual(['t', 't'])
    await set('project', 'garden', 'k', 'j')
    expect(await both()).toEqual(['j', 'j'])
    await set('home', '_user_ada', 'k', 'u')
    expect(await both()).toEqual(['j', 'u'])
    await set('process', scope.process, 'k', 'p')
    expect(await both()).toEqual(['p', 'p'])
    expect(await settings.get('k', { project: 'garden' })).toBe('j')
    expect(await settings.get('k', {})).toBe('t')
    expect(await settings.getForUser('k', { user: 'bob' })).toBe('t')
    expect(await settings.getOfUser('k', 'ada')).toBe('u')
    expect(await settings.getOfUser('k', 'bob')).toBeNull()
    expect(await settings.get('k', { project: '_user_ada' })).toBe('u')
  })

  test('[P17] false, zero and the empty text are values; null takes away, and versions go on', async () => {
    for (const value of [false, 0, '', [], {}] as Json[]) {
      await set('project', 'garden', 'k', value)
      expect(await bench.scopes.settings.get('k', scope)).toEqual(value)
    }
    await set('tenant', '_tenant', 'k', 'outer')
    await set('project', 'garden', 'k', null)
    expect(await bench.scopes.settings.get('k', scope)).toBe('outer')
    await set('project', 'garden', 'k', 'again')
    const versions = await bench.scopes.settings.versions('k', 'project', 'garden')
    expect(versions.map((one) => [one.version, one.value])).toEqual([
      [1, false],
      [2, 0],
      [3, ''],
      [4, []],
      [5, {}],
      [6, null],
      [7, 'again'],
    ])
    expect((await set('project', 'garden', 'never', null)).cursor).toBe(0)
  })

  test('[P17] prefixes are literal, and an empty one removes nothing', async () => {
    const { settings } = bench.scopes
    for (const key of ['oauth.slack.id', 'oauth.slack.team', 'oauthXslack.id', 'oauth_slack.id', 'oauth%'])
      await set('tenant', '_tenant', key, key)
    await set('project', 'garden', 'oauth.slack.id', 'inner')
    expect(await settings.list('oauth.slack.', scope)).toEqual({ 'oauth.slack.id': 'inner', 'oauth.slack.team': 'oauth.slack.team' })
    expect(await settings.list('oauth%', {})).toEqual({ 'oauth%': 'oauth%' })
    const remove = async (prefix: string) => (await settings.removePrefix({ prefix, level: 'tenant', scope: '_tenant' }, 'user:ada')).value
    expect(await remove('')).toBe(0)
    expect(await remove('oauth_')).toBe(1)
    expect(await remove('oauth.slack.')).toBe(2)
    expect(await remove('oauth.slack.')).toBe(0)
    expect(await settings.list('', {})).toEqual({ 'oauthXslack.id': 'oauthXslack.id', 'oauth%': 'oauth%' })
    expect(await settings.list('oauth.slack.', scope)).toEqual({ 'oauth.slack.id': 'inner' })
  })

  test('[P18] what is refused is not set', async () => {
    await expect(set('tenant', '_tenant', 'routing', 'sideways')).rejects.toMatchObject({ path: '/value' })
    await expect(set('tenant', '_tenant', 'x', 'v', { type: 'PASSWORD' })).rejects.toThrow(/secret store/)
    await expect(set('tenant', '_tenant', 'mail.password', 'v')).rejects.toThrow(/secret store/)
    await expect(set('group' as 'tenant', 'default', 'x', 1)).rejects.toMatchObject({ path: '/level' })
    await expect(set('tenant', 'garden', 'x', 1)).rejects.toMatchObject({ path: '/scope' })
    await expect(set('project', 'nope', 'x', 1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(set('home', '_user_ghost', 'x', 1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(set('project', 'garden', 'x', 'v'.repeat(70_000))).rejects.toThrow(/64 kB/)
    expect(await bench.scopes.settings.list('', scope)).toEqual({})
  })

  test('[P19] languages come from the layers', async () => {
    const { settings } = bench.scopes
    await set('project', 'garden', 'chat.language', 'fr')
    await set('home', '_user_ada', 'chat.language', 'de')
    await set('home', '_user_ada', 'content.language', 'de')
    await set('home', '_user_ada', 'webui.language', 'nl')
    await set('tenant', '_tenant', 'content.language', 'it')
    const languages = await settings.languages(scope)
    expect(languages['chat.language']).toEqual({ process: null, user: 'de', project: 'fr', tenant: null })
    expect(languageOf('chat.language', languages['chat.language'])).toBe('de')
    expect(languageOf('content.language', languages['content.language'])).toBe('it')
    expect(languageOf('webui.language', languages['webui.language'])).toBe('nl')
  })
})
