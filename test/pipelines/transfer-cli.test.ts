// The commands about pipelines against a real hub that has no model.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPlace, type Place } from '../program.ts'

let place: Place
let folder: string
beforeAll(async () => {
  place = newPlace()
  await place.start()
  folder = join(dirname(place.home), 'hours')
  write('Open 9 to 5.')
})
afterAll(() => place.remove())

const id = (at: number) => at.toString(16).padStart(24, '0')

function write(text: string): void {
  const workflow = `eddi://ai.labs.workflow/workflowstore/workflows/${id(2)}?version=1`
  const output = { uri: `eddi://ai.labs.output/outputstore/outputsets/${id(3)}?version=1` }
  const rules = { uri: `eddi://ai.labs.rules/rulestore/rulesets/${id(4)}?version=1` }
  const files = {
    [`${id(1)}.agent.json`]: { workflows: [workflow] },
    [`${id(1)}.descriptor.json`]: { name: 'Opening Hours' },
    [`${id(2)}/1/${id(2)}.workflow.json`]: {
      workflowSteps: [
        { type: 'eddi://ai.labs.rules', config: rules, extensions: {} },
        { type: 'eddi://ai.labs.output', config: output, extensions: {} },
      ],
    },
    [`${id(2)}/1/${id(4)}.rules.json`]: { behaviorGroups: [{ rules: [{ name: 'always', actions: ['tell'] }] }] },
    [`${id(2)}/1/${id(3)}.output.json`]: { outputSet: [{ action: 'tell', outputs: [{ valueAlternatives: [text] }] }] },
  }
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(value))
  }
}

const json = async (args: readonly string[]) => JSON.parse((await place.run(['pipelines', ...args, '--json'])).out)

describe('steward pipelines', () => {
  test('[C4, Y183] a preview of a folder writes nothing; an import with --deploy makes an agent that answers', async () => {
    const preview = await json(['import', folder, '--preview'])
    expect([preview.applied, preview.items.length]).toEqual([false, 4])
    expect(await json(['list', '--filter', 'opening'])).toEqual([])
    const done = await json(['import', folder, '--deploy'])
    expect([done.applied, done.deployed.agent]).toEqual([true, 'opening-hours'])
    expect(await json(['list', '--filter', 'opening'])).toMatchObject([
      { name: 'Opening Hours', deployed: { production: 1 }, agent: 'opening-hours' },
    ])
    expect(await place.run(['pipelines', 'check', '@opening-hours'])).toMatchObject({
      code: 0,
      out: 'Opening Hours, version 1, can run.\n',
    })
    expect((await place.run(['pipelines', 'show', 'Opening Hours'])).out).toContain('ai.labs.output')
    const asked = await place.run(['ask', '--agent', 'opening-hours', 'when?'])
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('Open 9 to 5.')])
  })

  test('[Y184, Y187] an export to a file and to a folder comes back; a changed one is a new version', async () => {
    const zip = join(dirname(place.home), 'hours.zip')
    expect(await place.run(['pipelines', 'export', 'opening-hours', '--to', zip])).toMatchObject({ code: 0 })
    const again = await place.run(['pipelines', 'export', 'opening-hours', '--to', zip])
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("can't be written")])
    expect((await json(['import', zip, '--strategy', 'merge'])).items.map((one: { action: string }) => one.action)).toEqual([
      'SKIP',
      'SKIP',
      'SKIP',
      'SKIP',
    ])
    const out = join(dirname(place.home), 'out')
    await place.run(['pipelines', 'export', 'opening-hours', '--to', out])
    expect(existsSync(out) && readdirSync(out).some((name) => name.endsWith('.agent.json'))).toBe(true)
    write('Open 8 to 4.')
    const changed = await place.run(['pipelines', 'import', folder, '--strategy', 'upgrade', '--target', 'opening-hours', '--deploy'])
    expect([changed.code, changed.out]).toEqual([0, expect.stringContaining('3 configurations were written. It is deployed')])
    expect(await json(['list', '--filter', 'opening'])).toMatchObject([{ version: 2, deployed: { production: 2 } }])
  })

  test('[C4] what is wrong is said, with its exit code', async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['import', join(dirname(place.home), 'nowhere.zip')], 2, /can't be read/],
      [['import', folder, '--strategy', 'other'], 2, /allowed are create, merge and upgrade/],
      [['import', join(folder, `${id(1)}.agent.json`)], 1, /no ZIP archive/],
      [['import', 'http://127.0.0.1:9/agentstore/agents/1'], 1, /address of an agent is wanted/],
      [['deploy', 'nobody'], 2, /no pipeline "nobody"/],
      [['deploy', 'opening-hours', '--environment', 'moon'], 2, /production and test/],
      [['new', 'nothing', '--name', 'x'], 1, /no template/],
      [['new', 'nothing'], 2, /--name NAME/],
    ]
    for (const [args, code, why] of wrong) {
      const ended = await place.run(['pipelines', ...args])
      expect([ended.code, ended.err], args.join(' ')).toEqual([code, expect.stringMatching(why)])
    }
    expect((await place.run(['pipelines', 'undeploy', 'opening-hours'])).out).toBe(
      'opening-hours is not deployed in production any more.\n',
    )
    expect((await json(['list', '--filter', 'opening']))[0].agent).toBe(null)
  })
})
