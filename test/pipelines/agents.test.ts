// Every complete agent of the shared data, as it comes from EDDI: imported, checked, deployed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { readFolder } from '../../src/pipelines/transfer/folder.ts'
import { sharedFolder } from '../shared.ts'
import { agentFolders, filesOf } from './agents-data.ts'
import { ada, openTalk, type Talk } from './talk.ts'
import { transferOver } from './transferring.ts'

let talk: Talk
afterEach(() => talk?.close())

const root = join(sharedFolder, 'data', 'eddi-agents')
describe('agents of EDDI', () => {
  if (!existsSync(root)) {
    process.stderr.write(`ABSENT: ${root} is not there; its agents are not imported\n`)
    test(`${ABSENT} the agents of EDDI are not beside this clone`, () => {})
    return
  }
  test.each(agentFolders)('[Y186] %s is imported whole, checked and deployed', async (name) => {
    talk = await openTalk()
    const { transfer } = transferOver(talk)
    const files = await filesOf(join(root, name), readFolder)
    const preview = await transfer.preview({ files }, { strategy: 'create' }, ada)
    expect(preview.items.every(({ action }) => action === 'CREATE')).toBe(true)
    const applied = await transfer.apply({ files }, { strategy: 'create' }, { writer: ada, mark: preview.mark, deploy: 'production' })
    expect(applied.notDeployed).toBe(null)
    expect(applied.deployed?.status).toBe('READY')
  })
})
