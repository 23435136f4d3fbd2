// Every complete agent of EDDI that lies beside the clone: imported, checked, deployed, and talked with. What it answers is read in its
// own files while the test runs; calls that it makes are answered by a stub.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { packageRoot } from '../../src/base/root.ts'
import { readFolder } from '../../src/pipelines/transfer/folder.ts'
import { writeZip } from '../../src/pipelines/transfer/zip.ts'
import { sharedFolder } from '../shared.ts'
import { agentFolders, filesOf } from './agents-data.ts'
import { expectedOf, outputsOf, play, secretsInto, stubFor, type Transcript } from './playing.ts'
import { ada, openTalk, type Talk } from './talk.ts'
import { transferOver } from './transferring.ts'

let talk: Talk
afterEach(() => talk?.close())

const root = join(sharedFolder, 'data', 'eddi-agents')
const create = { strategy: 'create' } as const

function transcriptOf(name: string): Transcript {
  return JSON.parse(readFileSync(join(packageRoot, 'test', 'data', 'pipelines', `${name}.json`), 'utf8'))
}

describe('agents of EDDI', () => {
  if (!existsSync(root)) {
    process.stderr.write(`ABSENT: ${root} is not there; its agents are not imported\n`)
    test(`${ABSENT} the agents of EDDI are not beside this clone`, () => {})
    return
  }

  test.each(agentFolders)('[Y186] %s is imported whole, checked and deployed; exported, it is the same', async (name) => {
    talk = await openTalk()
    const { transfer } = transferOver(talk)
    const files = await filesOf(join(root, name), readFolder)
    const preview = await transfer.preview({ files }, create, ada)
    expect(preview.items.every(({ action, notes }) => action === 'CREATE' && notes.length === 0)).toBe(true)
    expect(preview.faults).toEqual([])
    const applied = await transfer.apply({ files }, create, { writer: ada, mark: preview.mark, deploy: 'production' })
    expect([applied.notDeployed, applied.deployed?.status]).toEqual([null, 'READY'])
    const exported = await transfer.exportAgent({ id: applied.agent.id }, ada)
    const again = await transfer.preview({ zip: await writeZip(exported.files, 0) }, { strategy: 'merge' }, ada)
    expect(new Set(again.items.map(({ action }) => action))).toEqual(new Set(['SKIP']))
  })

  test.each(agentFolders)('[Y186] %s holds its conversation of at least ten turns', async (name) => {
    const { conversations, calls = [], asked = [], secrets = [] } = transcriptOf(name)
    expect(conversations.flat().length).toBeGreaterThanOrEqual(10)
    const stub = stubFor(calls)
    const kept: string[] = []
    talk = await openTalk({ effects: stub.effects, secrets: secretsInto(kept) })
    const { transfer } = transferOver(talk)
    const files = await filesOf(join(root, name), readFolder)
    const outputs = outputsOf(files)
    const { deployed } = await transfer.apply({ files }, create, { writer: ada, deploy: 'production' })
    for (const turns of conversations) {
      const open = await talk.open(deployed?.agentName ?? '')
      const before = new Map<string, number>()
      for (const turn of turns) {
        const { state, steps } = await play(talk, open, turn)
        const where = `${name}: ${turn.say}`
        expect({ state, actions: steps.map((seen) => seen.actions) }, where).toEqual({
          state: turn.state,
          actions: turn.steps.map(({ actions }) => actions),
        })
        for (const [at, wanted] of turn.steps.entries()) {
          const { texts, replies } = expectedOf(outputs, wanted, before)
          expect(steps[at]?.texts, where).toEqual(texts.map((each) => expect.toSatisfy((text: string) => each.includes(text))))
          expect(steps[at]?.replies, where).toEqual(replies)
          for (const action of wanted.actions) before.set(action, (before.get(action) ?? 0) + 1)
        }
      }
    }
    expect([stub.asked, kept]).toEqual([asked, secrets])
    for (const body of stub.bodies) if (body !== '') expect(() => JSON.parse(body)).not.toThrow()
  })
})
