// HUE's recorded cases about what a model is given, as requests that a model really got. What belongs to memory and to sources comes
// with them: docs/compatibility.md.
import { afterEach, describe, expect, test } from 'vitest'
import type { Manifest } from '../../src/context/context.ts'
import { givenIn } from '../context/given.ts'
import { openTalk, said, type Talk } from '../context/talk.ts'
import { describeShared } from '../shared.ts'

let talk: Talk
afterEach(() => talk?.close())

const garden = (at: number) => `Bed ${at}: how are the beans and the roses doing by the wall today, and shall we water them again?`
const given = async (): Promise<readonly Manifest[]> => givenIn(await talk.events('manifest'), await talk.events('step-done'))
const inProject = (project: string) => talk.asked().filter((request) => said(request).includes(`(${project})`))

/** Their order, in words of ours; a part that is not there takes no place. */
const places: Readonly<Record<string, readonly string[]>> = {
  'stable foundation': ['foundation'],
  'pack roles + bindings': ['foundation'],
  'approved memories': ['memories'],
  'Session context in budget': ['summaries', 'lines', 'excerpts'],
  'task/run/plan state': ['notes'],
  'worker brief': ['own'],
}

/** No memory and no sources beyond the session yet. */
const later = ['cx-global-allowlisted', 'cx-proposed-memory', 'cx-superseded', 'cx-stale-source', 'cx-conflict', 'cx-worker-memory-write']

const cases: Readonly<Record<string, () => Promise<void>>> = {
  async 'cx-other-space-absent'() {
    talk = await openTalk({ window: 8_000 })
    const other = await talk.open({ project: 'health' })
    for (let at = 0; at < 40; at++) await talk.say(other, at === 3 ? 'My blood pressure is 187 to 99.' : garden(at))
    const session = await talk.open({ project: 'shop' })
    for (let at = 0; at < 40; at++) await talk.say(session, garden(at))
    await talk.hub.context.idle()
    await talk.say(session, 'What is my blood pressure?')
    expect(inProject('shop').map(said).join('')).not.toContain('187')
    const ids = new Set((await talk.hub.bench.scopes.conversation.branch(session, { limit: 500 })).items.map(({ id }) => id))
    const quoted = (await given()).slice(40).flatMap(({ order }) => order.flatMap((part) => (part.part === 'excerpts' ? part.lines : [])))
    expect(quoted.filter(({ id }) => !ids.has(id))).toEqual([])
  },
  async 'cx-pack-edited-later'() {
    talk = await openTalk()
    const session = await talk.open()
    await talk.say(session, 'one')
    const before = await talk.events('manifest')
    const { documents, projects } = talk.hub.bench.scopes
    await documents.write(
      { path: 'agents/quick.md', level: 'project', scope: 'site', text: '---\nname: quick\nengine: quick\n---\nANOTHER PERSONA\n' },
      'user:ada',
    )
    await projects.change('site', { title: 'Changed' }, 'user:ada')
    await talk.say(session, 'two')
    const after = await talk.events('manifest')
    expect(after[0]).toEqual(before[0])
    for (const event of after) expect(await talk.hub.context.reproduce(event)).toMatchObject({ same: true })
  },
  async 'cx-closed-session'() {
    talk = await openTalk()
    const closed = await talk.open()
    await talk.say(closed, 'The gate code is 4711.')
    await talk.hub.bench.scopes.sessions.close(closed, 'user:ada')
    await talk.say(await talk.open(), 'What is the gate code?')
    expect(said(talk.asked().at(-1))).not.toContain('4711')
    const { items } = await talk.hub.bench.scopes.conversation.branch(closed, { limit: 10 })
    expect(items[0]?.text).toBe('The gate code is 4711.')
  },
  async 'cx-policy-first'() {
    talk = await openTalk({ window: 8_000 })
    const session = await talk.open()
    for (let at = 0; at < 40; at++) await talk.say(session, garden(at))
    // Privacy is part of what a call is gathered for; nothing of another session is opened for it.
    expect((await given()).every(({ localOnly }) => localOnly === false)).toBe(true)
    await talk.hub.bench.scopes.projects.create({ name: 'closed', policy: { localOnly: true } }, 'user:ada')
    await talk.say(await talk.open({ project: 'closed' }), 'hello')
    expect((await given()).at(-1)?.localOnly).toBe(true)
  },
  async 'cx-two-concurrent'() {
    talk = await openTalk()
    const [one, other] = [await talk.open(), await talk.open()]
    for (let at = 0; at < 5; at++) await Promise.all([talk.say(one, `ONE ${at}`), talk.say(other, `OTHER ${at}`)])
    const mixed = talk.asked().filter((request) => said(request).includes('ONE') && said(request).includes('OTHER'))
    expect(mixed).toEqual([])
  },
  async 'cx-health-no-code'() {
    talk = await openTalk()
    await talk.say(await talk.open({ project: 'shop' }), 'hello')
    await talk.say(await talk.open({ project: 'health', roots: [] }), 'hello')
    const tools = inProject('health')[0]?.body.tools?.map((tool) => tool.function.name) ?? []
    expect(tools.filter((name) => name.startsWith('file_') || name.startsWith('exec'))).toEqual([])
    expect(said(inProject('health')[0])).toContain('It has no folder')
    expect(said(inProject('health')[0])).not.toContain('notes.txt')
  },
  async 'cx-resource-unlinked'() {
    talk = await openTalk()
    const session = await talk.open({ roots: [] })
    talk.model.script({ calls: [{ name: 'file_read', input: { path: 'notes.txt' } }] }, 'There is none.')
    await talk.say(session, 'read the notes')
    expect(said(talk.asked().at(-1))).toContain('There is no tool')
    expect(said(talk.asked().at(-1))).not.toContain('The gate is green')
  },
  async 'cx-inference-not-fact'() {
    talk = await openTalk({ minutes: () => '- Stated: the fence costs 300 EUR.\n- Supposed: ada likes blue.\n- Proposed: paint it.' })
    const session = await talk.open()
    for (let at = 0; at < 6; at++) await talk.say(session, garden(at))
    await talk.hub.context.compact(session, { by: 'user:ada' })
    const minutes = talk.model.requests.find((request) => !talk.asked().includes(request))
    expect(said(minutes)).toContain('Keep apart what was stated, what was supposed, and what was only proposed.')
    await talk.say(session, 'go on')
    expect(said(talk.asked().at(-1))).toContain('- Supposed: ada likes blue.')
  },
}

describeShared('HUE: context', 'hue/context.json', ({ rows, file }) => {
  const known = (rows as readonly { readonly id: string }[]).map(({ id }) => id)

  test('[X3] each case is run here, or named as one of what comes later', () => {
    expect(known.filter((id) => !(id in cases) && !later.includes(id))).toEqual([])
  })

  describe('[X3, X7]', () => {
    test.each(known.filter((id) => id in cases))('[X7] %s', async (id) => cases[id]?.())
  })

  test('[X3] a manifest lists its parts in the order of assembly', async () => {
    const { assembly_order: steps } = file as { readonly assembly_order: readonly string[] }
    const wanted = [...new Set(steps.flatMap((step) => places[step] ?? []))]
    talk = await openTalk({ window: 8_000 })
    const session = await talk.open()
    for (let at = 0; at < 50; at++) await talk.say(session, garden(at))
    await talk.hub.context.idle()
    await talk.say(session, 'What about bed 3?')
    const order = (await given()).at(-1)?.order.map(({ part }) => part) ?? []
    expect(order).toEqual(wanted.filter((part) => part !== 'memories'))
  })
})
