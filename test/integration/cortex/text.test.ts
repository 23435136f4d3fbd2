// The table for a host model: over HTTP from the roster of a place, and what the command does with files.
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPlace, type Place } from '../../program.ts'
import { openRoutingHub, type RoutingHub } from '../routing/bench.ts'

describe('over HTTP', () => {
  let hub: RoutingHub
  beforeAll(async () => {
    hub = await openRoutingHub()
  })
  afterAll(() => hub.close())

  test('[R30] who has a cortex class stands in it with its phrases, everybody else in one line; the same roster, the same bytes', async () => {
    const [one, two] = [await hub.ask('GET', '/api/cortex'), await hub.ask('GET', '/api/cortex')]
    expect(one.status).toBe(200)
    expect(one.text).toBe(two.text)
    expect(one.json).toMatchObject({ mostTokens: 900, mostQuarters: 850, agents: 2, phrases: 12 })
    expect(one.json.text.split('\n').slice(1, 4)).toEqual([
      '- scout (scout, standard): map, find where, call graph; not implement, fix; then coder',
      '- coder (coder, standard): implement, fix, build; not greenfield',
      'Only by name: agenda, data, quick.',
    ])
    expect(one.json.quarters).toBe(Math.ceil(one.json.text.length / 4))
  })

  test('[R30] a project has its own, and a file that changes is in the next answer', async () => {
    await hub.write('agents/mender.md', '---\nname: mender\nclass: debugger\ntriggers: [mend]\n---\nYou mend.\n', 'shop')
    const of = async (query: string) => (await hub.ask('GET', `/api/cortex${query}`)).json.text
    expect(await of('?project=shop')).toContain('- mender (debugger, standard): mend\n')
    expect(await of('')).not.toContain('mender')
    expect((await hub.ask('GET', '/api/cortex?project=nowhere')).status).toBe(404)
    expect((await hub.ask('GET', '/api/cortex?projct=shop')).status).toBe(400)
    expect((await hub.ask('GET', '/api/cortex', undefined, { cookie: '' })).status).toBe(401)
  })

  test('[R31] agents that do not fit are refused with how many are over and whose lines are the longest', async () => {
    await hub.ask('POST', '/api/projects', { name: 'crowd' })
    for (let at = 0; at < 45; at++) {
      const triggers = at === 7 ? `[${'an endless beginning of a phrase '.repeat(4)}]` : `[go${at} there, see${at} it, ask${at} him]`
      await hub.write(`agents/a${at}.md`, `---\nname: a${at}\nclass: coder\ntriggers: ${triggers}\n---\nx\n`, 'crowd')
    }
    const { status, json } = await hub.ask('GET', '/api/cortex?project=crowd')
    expect(status).toBe(409)
    expect(json).toMatchObject({ code: 'too_long', detail: expect.stringMatching(/47 agents .*\d+ tokens over 900.* a7 \(\d+\)/s) })
  })
})

describe('the command', () => {
  let place: Place
  let folder: string
  beforeAll(async () => {
    place = newPlace()
    await place.start()
    folder = join(place.home, '..', 'work')
    mkdirSync(folder)
  })
  afterAll(() => place.remove())

  const steward = (...args: string[]) => place.run(['cortex', ...args])
  const at = (name: string, content: string | Uint8Array): string => {
    const file = join(folder, name)
    writeFileSync(file, content)
    return file
  }

  test('[R30] it prints the bundled roster within both limits', async () => {
    const { code, out, err } = await steward()
    expect(code).toBe(0)
    expect(err).toMatch(/^\d+ of 900 tokens by estimate, \d+ of 850 by characters \/ 4\.\n$/)
    for (const name of ['scout', 'planner', 'coder', 'scriber', 'reasoner', 'debugger', 'executor', 'generalist']) {
      expect(out).toMatch(new RegExp(`^- ${name} \\(${name}, (light|standard|deep)\\): `, 'm'))
    }
    expect(out).toMatch(/^Only by name: .*\bhub\b/m)
    expect((await steward()).out).toBe(out)
    expect(Math.ceil((out.length - 1) / 4)).toBeLessThanOrEqual(850)
  })

  test('[R32] a file is made, kept as it is, mended, checked, and is as before when the section goes', async () => {
    const file = at('AGENTS.md', '\ufeff# Ours\r\n\r\nText ß\r\n')
    const before = readFileSync(file)
    const other = join(folder, 'CLAUDE.md')
    chmodSync(file, 0o640)
    expect((await steward('--check', file)).code).toBe(1)
    const first = await steward('--embed', file, other, '--json')
    expect(JSON.parse(first.out).files).toEqual([
      { file, action: 'updated' },
      { file: other, action: 'created' },
    ])
    const made = readFileSync(file, 'utf8')
    expect(made.startsWith('\ufeff# Ours\r\n\r\nText ß\r\n\r\n<!-- steward:cortex begin -->\r\nWho does what')).toBe(true)
    expect(made.replaceAll('\r\n', '')).not.toContain('\n')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const { mtimeMs, ino } = statSync(file)
    expect((await steward('--embed', file)).out).toBe(`${file} has it already.\n`)
    expect(statSync(file)).toMatchObject({ mtimeMs, ino })
    expect((await steward('--check', file)).code).toBe(0)
    writeFileSync(file, made.replace('Who does what', 'Nobody does'))
    expect((await steward('--check', file, '--json')).out).toBe(`${JSON.stringify({ file, state: 'stale' })}\n`)
    await steward('--embed', file)
    expect(readFileSync(file, 'utf8')).toBe(made)
    expect((await steward('--remove', file)).out).toBe(`${file} is without the table now.\n`)
    expect(readFileSync(file)).toEqual(before)
    expect((await steward('--remove', file)).out).toBe(`${file} has no such section.\n`)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('[R32] a link stays one, and two names of one file are written once', async () => {
    const file = at('real.md', 'x\n')
    const link = join(folder, 'link.md')
    symlinkSync('real.md', link)
    const { out } = await steward('--embed', link, file, '--json')
    expect(JSON.parse(out).files).toEqual([{ file: link, action: 'updated' }])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toMatch(/^x\n\n<!-- steward/)
  })

  test('[R33] what is not plainly a text of ours to change is refused, and no file is written then', async () => {
    const marker = '<!-- steward:cortex begin -->\n'
    const good = at('good.md', 'good\n')
    symlinkSync('gone.md', join(folder, 'dangling.md'))
    linkSync(good, join(folder, 'hard.md'))
    const cases: readonly (readonly [string, string])[] = [
      [at('doubled.md', `${marker}${marker}`), 'begin in line 1, begin in line 2'],
      [at('half.md', `a\n${marker}`), 'begin in line 2'],
      [at('binary.md', 'a\u0000b'), 'zero byte'],
      [at('latin.md', Uint8Array.of(0x61, 0xe4, 0x62)), 'not UTF-8'],
      [at('wide.md', Buffer.from('\ufeffabc', 'utf16le')), 'zero byte'],
      [at('huge.md', 'x'.repeat(1_048_577)), '1048577 bytes'],
      [folder, 'no plain file'],
      [join(folder, 'dangling.md'), 'link to a file that is not there'],
      [join(folder, 'none', 'AGENTS.md'), 'there is no folder'],
      [join(good, 'AGENTS.md'), 'ENOTDIR'],
    ]
    for (const [file, why] of cases) {
      const { code, err } = await steward('--embed', good, file)
      expect([code, err.includes(why), err.includes(file)], err).toEqual([1, true, true])
    }
    expect(readFileSync(good, 'utf8')).toBe('good\n')
    expect((await steward('--embed', good, '--check', good)).code).toBe(2)
    expect(existsSync(join(folder, 'gone.md'))).toBe(false)
  })

  test('[R34] killed while it writes, the file is the old one or the new one, and the next run leaves nothing beside it', async () => {
    const inner = join(folder, 'killed')
    mkdirSync(inner)
    const file = join(inner, 'AGENTS.md')
    const old = `${'a line of the person\n'.repeat(40_000)}`
    const whole = [old]
    let killed = 0
    for (let round = 0; round < 6; round++) {
      writeFileSync(file, old)
      const running = place.spawn(['cortex', '--embed', file])
      const watcher = watch(inner, (_, name) => {
        if (name?.endsWith('.part') && running.child.kill('SIGKILL')) killed++
      })
      await running.ended
      watcher.close()
      whole.push(readFileSync(file, 'utf8'))
    }
    expect(killed).toBeGreaterThan(0)
    expect((await steward('--embed', file)).code).toBe(0)
    const made = readFileSync(file, 'utf8')
    expect([...new Set(whole)].filter((one) => one !== old && one !== made)).toEqual([])
    expect(readdirSync(inner)).toEqual(['AGENTS.md'])
  })
})
