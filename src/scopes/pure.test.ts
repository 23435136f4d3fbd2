import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../base/errors.ts'
import type { ProcessId, SessionId } from '../base/ids.ts'
import { closeReasons } from '../protocol/entry.ts'
import { processStatuses } from '../protocol/process.ts'
import { parentEvent, type StatusChange } from './close-event.ts'
import { openConnections } from './connections.ts'
import { checkPath, isPath, mimeOf } from './document-path.ts'
import { findLanguage, languageOf } from './language.ts'
import { checkLogin, checkName, checkProfile, checkRoots } from './names.ts'
import { checkReach, projectOf } from './project-resolution.ts'
import { sessionStatus } from './session-status.ts'
import { checkKey, checkValue } from './setting-keys.ts'
import { autoTitle } from './title.ts'

describe('names', () => {
  test.each(['garden', 'a', '7', 'tax-2026', 'a_b', 'x'.repeat(64)])('[P1] %s is a name', (name) => {
    expect(checkName(name, 'project', '/name')).toBe(name)
  })
  test.each(['', 'Garden', 'a b', '-a', 'ä', 'a/b', '..', 'x'.repeat(65), 'a\n', 7, null, undefined])(
    '[P1] %j is none, and says what is',
    (name) => {
      expect(() => checkName(name, 'project', '/name')).toThrow(/allowed are 1 to 64 lower case letters/)
    },
  )
  test('[P1] a name with "_" in front belongs to the hub', () => {
    expect(() => checkName('_user_ada', 'project', '/name')).toThrow(/"_user_ada".*belong to the hub/)
  })
  test.each(['../x', 'a/b', '', '.a', 'a b', 'a\0'])('[P1] %j is no login name', (name) => {
    expect(() => checkLogin(name)).toThrow(InvalidInput)
  })
  test('[P1] foot is another word for terminal', () => {
    expect(checkProfile('foot')).toBe('terminal')
    expect(checkProfile('my_tool-2')).toBe('my_tool-2')
    for (const wrong of ['Web!', '', '_web', '2web', 'x'.repeat(33)]) expect(() => checkProfile(wrong)).toThrow(/allowed are 1 to 32/)
  })
  test('[P1] roots are absolute, each once', () => {
    expect(checkRoots(['/a/../b', '/b'])).toEqual(['/b'])
    expect(() => checkRoots(['/ok', './here'])).toThrow(expect.objectContaining({ path: '/roots/1' }))
    expect(() => checkRoots('x')).toThrow(InvalidInput)
  })
})

describe('titles', () => {
  test('[P9] the first line with words, cut at a word', () => {
    expect(autoTitle('  \n\n  Plan   the\tgarden \nwith roses')).toBe('Plan the garden')
    expect(autoTitle(`${'word '.repeat(20)}`)).toBe('word '.repeat(12).trim())
    expect(autoTitle('x'.repeat(100))).toBe('x'.repeat(60))
    expect(autoTitle(' \n ')).toBe('')
  })
  test('[P9] never over 60 characters, never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const title = autoTitle(text)
        expect([...title].length).toBeLessThanOrEqual(60)
        expect(title.isWellFormed()).toBe(true)
        expect(title).toBe(title.trim())
      }),
    )
  })
})

describe('language', () => {
  const all = { process: 'p', user: 'u', project: 'j', tenant: 't' }
  test('[P19] chat: process, user, project, tenant', () => {
    expect(findLanguage('chat.language', all)).toBe('p')
    expect(findLanguage('chat.language', { ...all, process: ' ' })).toBe('u')
    expect(findLanguage('chat.language', { project: 'j', tenant: 't' })).toBe('j')
    expect(findLanguage('chat.language', { tenant: 't' })).toBe('t')
  })
  test('[P19] content leaves the user out, the page is the user’s alone', () => {
    expect(findLanguage('content.language', { user: 'u', project: 'j' })).toBe('j')
    expect(findLanguage('content.language', { user: 'u' })).toBeNull()
    expect(findLanguage('webui.language', { process: 'p', project: 'j', tenant: 't' })).toBeNull()
    expect(findLanguage('webui.language', all)).toBe('u')
  })
  test('[P19] in the end the configured default, or English', () => {
    expect(languageOf('chat.language', {}, 'de')).toBe('de')
    expect(languageOf('chat.language', {}, '  ')).toBe('en')
    expect(languageOf('chat.language', {})).toBe('en')
  })
})

describe('session status', () => {
  test.each([
    ['OPEN', [], 'INIT'],
    ['OPEN', ['INIT'], 'INIT'],
    ['OPEN', ['INIT', 'IDLE'], 'IDLE'],
    ['OPEN', ['BLOCKED', 'RUNNING'], 'RUNNING'],
    ['OPEN', ['SUSPENDED', 'CLOSED'], 'SUSPENDED'],
    ['OPEN', ['SUSPENDED', 'IDLE'], 'IDLE'],
    ['OPEN', ['CLOSED'], 'IDLE'],
    ['SUSPENDED', ['RUNNING'], 'SUSPENDED'],
    ['ARCHIVED', ['CLOSED'], 'ARCHIVED'],
    ['CLOSED', ['IDLE'], 'CLOSED'],
  ] as const)('[P11] %s with %j is %s', (life, processes, expected) => {
    expect(sessionStatus(life, processes)).toBe(expected)
  })
})

describe('the end of a worker', () => {
  const parent = 'prc_parent' as ProcessId
  const end: StatusChange = { parent, before: 'RUNNING', now: 'CLOSED', reason: 'DONE' }
  test('[P20] each reason has its event', () => {
    const events = closeReasons.map((reason) => [reason, parentEvent({ ...end, reason })])
    expect(Object.fromEntries(events)).toEqual({
      DONE: 'DONE',
      INCOMPLETE: 'FAILED',
      STALE: 'FAILED',
      STOPPED: 'STOPPED',
      ARCHIVED: 'STOPPED',
      USER_DELETE: 'STOPPED',
      ABANDONED: 'STOPPED',
      AUTO_CLOSE: 'STOPPED',
    })
  })
  test('[P20] a reason that is not known is a stop, and a repeated one of any kind is told by nobody twice', () => {
    for (const reason of ['EVICTED', '__proto__', '']) expect(parentEvent({ ...end, reason: reason as never })).toBe('STOPPED')
    for (const now of processStatuses.filter((status) => status !== 'CLOSED')) expect(parentEvent({ ...end, now })).toBeNull()
    for (const reason of closeReasons) expect(parentEvent({ ...end, reason, before: 'CLOSED' })).toBeNull()
  })
  test('[P20] told once, and only to who does not know', () => {
    expect(parentEvent({ ...end, before: 'CLOSED' })).toBeNull()
    expect(parentEvent({ ...end, now: 'BLOCKED' })).toBeNull()
    expect(parentEvent({ ...end, parent: null })).toBeNull()
    expect(parentEvent({ ...end, parentWatches: true })).toBeNull()
    expect(parentEvent({ ...end, reason: 'STOPPED', stoppedBy: parent })).toBeNull()
    expect(parentEvent({ ...end, reason: 'STOPPED', stoppedBy: 'prc_other' as ProcessId })).toBe('STOPPED')
    expect(parentEvent({ ...end, reason: 'STALE', stoppedBy: parent })).toBe('FAILED')
  })
})

describe('projects of tool calls', () => {
  test('[P21] a worker stays in its project', () => {
    expect(projectOf({ process: { isWorker: true, project: 'own' }, named: 'other', spot: 'spot' })).toBe('own')
    expect(() => projectOf({ process: { isWorker: true, project: null }, named: 'other' })).toThrow(/no inherited project/)
  })
  test('[P21] a session’s own process: named, else the spot, else its own', () => {
    const process = { isWorker: false, project: 'own' }
    expect(projectOf({ process, named: 'named', spot: 'spot' })).toBe('named')
    expect(projectOf({ process, named: '', spot: 'spot' })).toBe('spot')
    expect(projectOf({ process })).toBe('own')
    expect(projectOf({ process: null, spot: 'spot' })).toBe('spot')
    expect(() => projectOf({ process: null })).toThrow(/No project/)
  })
  test('[P21] a blank name is none', () => {
    expect(projectOf({ process: { isWorker: false, project: 'own' }, named: ' ', spot: '\t' })).toBe('own')
    expect(() => projectOf({ process: { isWorker: true, project: ' ' }, named: 'other' })).toThrow(/no inherited project/)
  })
  test('[P21] system projects are out of reach, but the own home', () => {
    expect(() => checkReach('_user_ada', 'ada')).not.toThrow()
    expect(() => checkReach('_user_bob', 'ada')).toThrow(/someone else/)
    expect(() => checkReach('_tenant', 'ada')).toThrow(/the hub/)
  })
})

describe('connections', () => {
  const s = 'ses_1' as SessionId
  test('[P8] the first holds, taking over says who held it', () => {
    const all = openConnections()
    expect(all.join(s, 'a', false)).toEqual({ holder: 'a', mine: true, movedFrom: null })
    expect(all.join(s, 'b', false)).toEqual({ holder: 'a', mine: false, movedFrom: null })
    expect(all.join(s, 'b', true)).toEqual({ holder: 'b', mine: true, movedFrom: 'a' })
    expect(all.join(s, 'b', true)).toEqual({ holder: 'b', mine: true, movedFrom: null })
  })
  test('[P8] the binding goes to who stays; only the last one ends it', () => {
    const all = openConnections()
    for (const name of ['a', 'b', 'c']) all.join(s, name, false)
    expect(all.leave(s, 'a')).toBe(false)
    expect(all.join(s, 'c', false).holder).toBe('b')
    expect(all.leave(s, 'nobody')).toBe(false)
    expect(all.leave(s, 'b')).toBe(false)
    expect(all.leave(s, 'c')).toBe(true)
    expect(all.leave(s, 'c')).toBe(false)
    expect(all.count(s)).toBe(0)
  })
})

describe('settings', () => {
  test('[P18] known keys have their values', () => {
    expect(checkValue('chat.language', 'pt-BR')).toBe('pt-BR')
    expect(() => checkValue('chat.language', 'Deutsch, bitte')).toThrow(/chat.language: allowed is a language tag/)
    expect(() => checkValue('routing', 'sideways')).toThrow(/"direct" or "hint"/)
    expect(() => checkValue('documents.archive.enabled', 'yes')).toThrow(/true or false/)
    expect(checkValue('my.own', { any: [1, 'thing'] })).toEqual({ any: [1, 'thing'] })
    expect(checkValue('toString', 'a')).toBe('a')
  })
  test('[P18] secrets belong to the secret store', () => {
    for (const type of ['PASSWORD', 'HIDDEN']) expect(() => checkValue('x', 'v', type)).toThrow(/secret store/)
    for (const key of ['mail.password', 'openai.apiKey', 'github_token', 'oauth.client-secret'])
      expect(() => checkValue(key, 'v')).toThrow(/secret store/)
    expect(checkValue('mail.password', '{{secret:mail}}')).toBe('{{secret:mail}}')
    expect(checkValue('model.maxTokens', 5)).toBe(5)
  })
  test('[P18] a type that is given is checked', () => {
    expect(checkValue('a', 'dark', 'STRING')).toBe('dark')
    expect(() => checkValue('a', 'x', 'INT')).toThrow(/not of the type INT/)
    for (const most of [2 ** 31 - 1, -(2 ** 31)]) expect(checkValue('a', most, 'INT')).toBe(most)
    for (const more of [2 ** 31, -(2 ** 31) - 1, 1.5, '1']) expect(() => checkValue('a', more, 'INT')).toThrow(/not of the type INT/)
    expect(checkValue('a', 2 ** 31, 'LONG')).toBe(2 ** 31)
    expect(() => checkValue('a', 1, 'NUMBER')).toThrow(/allowed are STRING/)
  })
  test.each(['', ' a', 'a\n', 'x'.repeat(201), 7])('[P18] %j is no key', (key) => {
    expect(() => checkKey(key)).toThrow(/is not possible/)
  })
})

describe('paths of documents', () => {
  test.each(['a.md', 'agents/scout.md', 'skills/plan it/SKILL.md', 'ä/ö.yaml'])('[P16] %s is a path', (path) => {
    expect(checkPath(path)).toBe(path)
  })
  const bad = [
    '',
    '/',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a//b',
    'a/',
    './a',
    'a/.git/x',
    'a\\b',
    'C:/x',
    'a\0b',
    'a~',
    'x.tmp',
    'a/b.',
    `${'a/'.repeat(300)}b`,
    7,
  ]
  test.each(bad)('[P16] %j is none', (path) => {
    expect(() => checkPath(path)).toThrow(InvalidInput)
  })
  test('[P16] no path leaves its folder', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', 'a', '', '/', '\\', ' ', '~', 'b.md'), { maxLength: 8 }), (parts) => {
        const path = parts.join('/')
        if (isPath(path)) expect(new URL(path, 'file:///root/').pathname.startsWith('/root/')).toBe(true)
      }),
    )
  })
  test('[P16] the type is in the name', () => {
    expect(mimeOf('a.md')).toBe('text/markdown')
    expect(mimeOf('a.YAML')).toBe('application/yaml')
    expect(mimeOf('constructor')).toBe('text/plain')
  })
})
