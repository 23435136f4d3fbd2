// The agents of EDDI that lie beside the clone. Some are folders as an export makes them; of two there are only the bodies that a
// client would send: these get the agent and the workflow that the client would make of them.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '../../src/base/json.ts'
import type { Files } from '../../src/pipelines/transfer/zip.ts'

export const agentFolders = [
  ...['agent-father-4.0.0', 'agent-father-6.0.0', 'agentengine-it', 'bot-father-1.0.0', 'bot-father-4.0.0', 'example-bot-legacy'],
  ...['happy-bot', 'hitl-it', 'multi-purpose-bot', 'party-bot', 'rule-based-reference', 'validation-bot', 'weather-agent-v6-test'],
  ...['weather-bot', 'weather-usecase-dir'],
] as const

/** Dictionary, rules and output of each workflow. */
const loose: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  'agentengine-it': [
    ['dictionary.json', 'rules.json', 'output.json'],
    ['dictionary2.json', 'rules2.json', 'output2.json'],
  ],
  'hitl-it': [['dictionary.json', 'rules.json', 'output.json']],
}

export async function filesOf(folder: string, read: (folder: string) => Promise<Files>): Promise<Files> {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const sets = loose[name]
  return sets === undefined ? read(folder) : assembled(folder, name, sets[0] ?? ['', '', ''])
}

const id = (at: number) => at.toString(16).padStart(24, '0')

async function assembled(folder: string, name: string, [dictionary, rules, output]: readonly [string, string, string]): Promise<Files> {
  const files = new Map<string, Uint8Array>()
  const inner = `${id(2)}/1/`
  const text = (value: JsonObject) => new TextEncoder().encode(JSON.stringify(value))
  const given = [
    [`${inner}${id(3)}.regulardictionary.json`, dictionary],
    [`${inner}${id(4)}.behavior.json`, rules],
    [`${inner}${id(5)}.output.json`, output],
  ] as const
  for (const [file, from] of given) files.set(file, await readFile(join(folder, from)))
  files.set(`${id(1)}.agent.json`, text({ workflows: [`eddi://ai.labs.workflow/workflowstore/workflows/${id(2)}?version=1`] }))
  files.set(`${id(1)}.descriptor.json`, text({ name }))
  const regular = 'eddi://ai.labs.parser.dictionaries.regular'
  const steps = [
    {
      type: 'eddi://ai.labs.parser',
      extensions: {
        dictionaries: [
          { type: regular, config: { uri: `eddi://ai.labs.dictionary/dictionarystore/dictionaries/${id(3)}?version=1` } },
          { type: 'eddi://ai.labs.parser.dictionaries.integer' },
        ],
      },
      config: {},
    },
    { type: 'eddi://ai.labs.rules', extensions: {}, config: { uri: `eddi://ai.labs.rules/rulestore/rulesets/${id(4)}?version=1` } },
    { type: 'eddi://ai.labs.property', extensions: {}, config: {} },
    { type: 'eddi://ai.labs.output', extensions: {}, config: { uri: `eddi://ai.labs.output/outputstore/outputsets/${id(5)}?version=1` } },
    { type: 'eddi://ai.labs.templating', extensions: {}, config: {} },
  ]
  files.set(`${inner}${id(2)}.workflow.json`, text({ workflowSteps: steps }))
  return files
}
