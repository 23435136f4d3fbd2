// Pipelines, in this process: what their pure parts cost.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { JsonObject } from '../../src/base/json.ts'
import type { Dictionary, ParserConfig } from '../../src/pipelines/configuration.ts'
import { uriOf } from '../../src/pipelines/configurations/uri.ts'
import { openPipelines } from '../../src/pipelines/open-pipelines.ts'
import { compileParser, type Parser } from '../../src/pipelines/parser/parser.ts'
import type { Figure } from './figure.ts'
import { knowing } from './knowing.ts'
import type { At, Part } from './part.ts'
import { microsOf } from './repeat.ts'
import { openRooms } from './rooms.ts'

export const pipelines: Part = {
  name: 'pipelines',
  async run(at) {
    return [...parsing(at), ...(await deploying(at)), ...(await knowing(at))]
  },
}

// ---- deployment

const rulesOfAgent = 500

/** What was deployed before is in no cache: each time another agent. */
async function deploying(at: At): Promise<readonly Figure[]> {
  at.tell('deploying')
  const rooms = await openRooms(at.place.folder('deploying'))
  const { journal, store, clock, newId, secrets, scopes } = rooms
  const agents = { find: async () => null }
  const { configurations, deployments } = openPipelines({
    journal,
    store: store.journal,
    documents: scopes.documents,
    agents,
    secrets,
    clock,
    newId,
  })
  const user = rooms.people.owner.name
  const writer = { user, by: `user:${user}` } as const
  const times: number[] = []
  for (let round = 0; round < (at.quick ? 5 : 15); round++) {
    const [rules] = await configurations.create([{ kind: 'rules', value: manyRules(rulesOfAgent) }], writer)
    const workflowSteps = [{ type: 'eddi://ai.labs.rules', config: { uri: rules ? uriOf(rules) : '' }, extensions: {} }]
    const [workflow] = await configurations.create([{ kind: 'workflow', value: { workflowSteps } }], writer)
    const [agent] = await configurations.create(
      [{ kind: 'agent', value: { workflows: workflow ? [uriOf(workflow)] : [] }, name: `Agent ${round}` }],
      writer,
    )
    const started = performance.now()
    if (agent) await deployments.deploy(agent, 'production', writer)
    times.push(performance.now() - started)
  }
  await rooms.close()
  const ours = times.sort((a, b) => a - b)[times.length >> 1] ?? 0
  return [
    {
      name: 'deploying an agent of 500 rules',
      unit: 'ms',
      ours,
      floor: null,
      hold: { most: 100 },
      note: `slowest ${(times.at(-1) ?? 0).toFixed(0)} ms`,
    },
  ]
}

function manyRules(count: number): JsonObject {
  const rules = Array.from({ length: count }, (_, at) => ({
    name: `Rule ${at}`,
    actions: [`action_${at}`],
    conditions: [
      { type: 'inputmatcher', configs: { expressions: `topic(t${at})`, occurrence: 'currentStep' } },
      { type: 'negation', conditions: [{ type: 'actionmatcher', configs: { actions: `action_${at}`, occurrence: 'lastStep' } }] },
    ],
  }))
  return { behaviorGroups: [{ name: 'All', executionStrategy: 'executeAll', rules }] }
}

// ---- the parser

const entries = 50_000
const about = { language: 'en', temporary: [] }

/** Every word of the input has a slip, two, or is glued to another one, so that all corrections are asked about each. */
function parsing(at: At): readonly Figure[] {
  at.tell('parsing')
  const words = wordsOf(entries)
  const dictionary = dictionaryOf(words)
  const before = heapMb()
  const parser = parserOf(dictionary)
  const [unread, started] = [heapMb(), performance.now()]
  parser.parse(inputOf(words, 1), about)
  const first = performance.now() - started
  const size = heapMb()
  const input = inputOf(words, 7)
  const tokens = new Set(words)
  return [
    {
      name: 'parsing 200 words, 50,000 entries',
      ...{ unit: 'ms', hold: { most: 20 }, note: 'floor: each word looked up; all corrections' },
      ours: microsOf(at.quick ? 20 : 100, () => parser.parse(input, about)) / 1_000,
      floor: microsOf(1_000, () => input.split(' ').filter((token) => tokens.has(token)).length) / 1_000,
    },
    {
      name: 'the first of them, with the indexes',
      ...{ unit: 'ms', ours: first, floor: null, hold: null, note: 'once for each dictionary' },
    },
    {
      name: 'indexes of 50,000 entries',
      ...{
        unit: 'MB',
        ours: size - unread,
        floor: null,
        hold: { most: 60 },
        note: `the dictionary itself ${Math.round(unread - before)} MB`,
      },
    },
  ]
}

const syllables = 'ba ko li men tra ver sun dor pel gis han qui ost rim fa nel zu wex cor tin schl eck ung heit able'.split(' ')

/** Words of two to four syllables, the same in each run. */
function wordsOf(count: number): readonly string[] {
  const next = numbers(42)
  const words = new Set<string>()
  while (words.size < count) words.add(Array.from({ length: 2 + next(3) }, () => pick(syllables, next)).join(''))
  return [...words]
}

function dictionaryOf(words: readonly string[]): Dictionary {
  const phrases = words.slice(0, 2_000).map((word, at) => ({ phrase: `${word} ${words.at(-1 - at)}`, expressions: `phrase(p${at})` }))
  const single = words.slice(2_000).map((word) => ({ word, expressions: `word(${word})`, frequency: 0 }))
  return { lang: 'en', words: single, phrases, regExs: [{ regEx: '[a-z]{2}-\\d+', expressions: 'ticket' }] }
}

function parserOf(dictionary: Dictionary): Parser {
  const all = (part: string, names: readonly string[]) =>
    names.map((name) => ({ type: `eddi://ai.labs.parser.${part}.${name}`, config: name === 'regular' ? { uri: 'eddi://dictionary' } : {} }))
  const config: ParserConfig = {
    config: {},
    extensions: {
      normalizer: all('normalizers', ['punctuation', 'specialCharacter', 'contractedWords']),
      dictionaries: all('dictionaries', ['integer', 'decimal', 'email', 'time', 'ordinalNumber', 'punctuation', 'regular']),
      corrections: all('corrections', ['levenshtein', 'mergedTerms', 'phonetic']),
    },
  }
  return compileParser(config, () => dictionary)
}

function inputOf(words: readonly string[], seed: number): string {
  const next = numbers(seed)
  const tokens = Array.from({ length: 200 }, (_, at) => {
    if (at % 3 === 2) return `${pick(words, next)}${pick(words, next)}`.slice(0, 30)
    return at % 3 === 1 ? slipped(slipped(pick(words, next), next), next) : slipped(pick(words, next), next)
  })
  return tokens.join(' ')
}

/** With a letter left out, put in, or another one. */
function slipped(word: string, next: (below: number) => number): string {
  const place = next(word.length)
  return word.slice(0, place) + ['', 'y', 'x'][next(3)] + word.slice(place + next(2))
}

function pick(list: readonly string[], next: (below: number) => number): string {
  return list[next(list.length)] ?? ''
}

function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function heapMb(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1_048_576
}
