// Archives that are odd but honest, over real SQLite and lanes.
import { afterEach, describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { type Files, writeZip } from '../../src/pipelines/transfer/zip.ts'
import { ada, openTalk, type Talk } from './talk.ts'
import { transferOver } from './transferring.ts'

let talk: Talk
afterEach(() => talk?.close())

const id = (at: number) => at.toString(16).padStart(24, 'b')
const bytes = (value: Json) => new TextEncoder().encode(JSON.stringify(value))
const filesOf = (given: Readonly<Record<string, Json>>): Files =>
  new Map(Object.entries(given).map(([name, value]) => [name, bytes(value)]))

const outputUri = (version: number) => `eddi://ai.labs.output/outputstore/outputsets/${id(9)}?version=${version}`
const rulesUri = `eddi://ai.labs.rules/rulestore/rulesets/${id(8)}?version=1`
const workflowUri = (at: number) => `eddi://ai.labs.workflow/workflowstore/workflows/${id(at)}?version=1`
const says = (text: string): Json => ({ outputSet: [{ action: 'go', outputs: [{ valueAlternatives: [text] }] }] })
const rules: Json = { behaviorGroups: [{ rules: [{ name: 'always', actions: ['go'] }] }] }
const step = (type: string, uri: string): Json => ({ type: `eddi://ai.labs.${type}`, config: { uri }, extensions: {} })

/** Two workflows that share an output, of which only the second has moved on. */
function twoVersions(second: number, text: string): Files {
  return filesOf({
    [`${id(1)}.agent.json`]: { workflows: [workflowUri(2), workflowUri(3)] },
    [`${id(1)}.descriptor.json`]: { name: 'Two versions' },
    [`${id(2)}/1/${id(2)}.workflow.json`]: { workflowSteps: [step('rules', rulesUri), step('output', outputUri(1))] },
    [`${id(2)}/1/${id(8)}.behavior.json`]: rules,
    [`${id(2)}/1/${id(9)}.output.json`]: says('of version 1'),
    [`${id(3)}/1/${id(3)}.workflow.json`]: { workflowSteps: [step('output', outputUri(second))] },
    [`${id(3)}/1/${id(9)}.output.json`]: says(text),
  })
}

describe('archives', () => {
  test('[Y220] two versions of one configuration are both there, each where its workflow names it', async () => {
    talk = await openTalk()
    const { transfer } = transferOver(talk)
    const files = twoVersions(2, 'of version 2')
    const applied = await transfer.apply({ files }, { strategy: 'create' }, { writer: ada, deploy: 'production' })
    expect(applied.items.filter(({ kind }) => kind === 'output').map(({ notes }) => notes)).toEqual([
      [expect.stringMatching(/^it is version 1 of bbb/)],
      [],
    ])
    const { session } = await talk.open(applied.deployed?.agentName ?? '')
    await talk.say(session, 'hello')
    expect((await talk.lines(session)).at(-1)?.text).toBe('of version 1\n\nof version 2')
    const again = await transfer.preview({ files }, { strategy: 'merge' }, ada)
    expect(new Set(again.items.map(({ action }) => action))).toEqual(new Set(['SKIP']))
    const exported = await transfer.exportAgent({ id: applied.agent.id }, ada)
    const back = await transfer.preview({ zip: await writeZip(exported.files, 0) }, { strategy: 'merge' }, ada)
    expect(new Set(back.items.map(({ action }) => action))).toEqual(new Set(['SKIP']))
  })

  test('[Y177] two contents of one version are refused', async () => {
    talk = await openTalk()
    const { transfer } = transferOver(talk)
    await expect(transfer.preview({ files: twoVersions(1, 'another') }, { strategy: 'create' }, ada)).rejects.toThrow(
      /twice with different/,
    )
  })
})
