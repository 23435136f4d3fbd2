// EDDI's recorded cases about templates: rendering, methods of texts, functions, and the older syntax carried over. Also every text
// of its complete agents: each is read, carried over where it is of the older syntax, and rendered.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ABSENT } from '../../scripts/test-summary.ts'
import { isObject, type Json, type JsonObject } from '../../src/base/json.ts'
import {
  compileTemplate,
  migrateTemplate,
  migrateTemplateWithFaults,
  type TemplateMode,
  templateFaults,
} from '../../src/pipelines/template/template.ts'
import { describeShared, sharedFolder } from '../shared.ts'

type Case = {
  readonly id: string
  readonly kind: string
  readonly template?: string | null
  readonly data?: JsonObject
  readonly mode?: TemplateMode
  readonly method?: string
  readonly args?: readonly Json[]
  readonly input?: Json
  readonly expected?: Json
  readonly expectedContains?: readonly string[]
  readonly expectedPattern?: string
}

const uuid = () => '00000000-0000-4000-8000-000000000001'

function result(one: Case): Json {
  const { kind } = one
  if (kind === 'render') {
    return one.template ? compileTemplate(one.template, { mode: one.mode ?? 'TEXT', uuid }).render(one.data ?? {}) : (one.template ?? null)
  }
  if (kind === 'migrateThymeleaf') return migrateTemplate(typeof one.input === 'string' ? one.input : null)
  if (kind === 'stringMethod') {
    const [self = null, ...args] = one.args ?? []
    const names = args.map((_, index) => `a${index}`)
    const data = Object.fromEntries([['self', self], ...args.map((arg, index) => [names[index], arg])])
    return compileTemplate(`{self.${one.method}(${names.join(', ')})}`).value(data)
  }
  const data = 'input' in one ? { input: one.input ?? null } : {}
  return compileTemplate(`{${kind}(${'input' in one ? 'input' : ''})}`, { uuid }).value(data)
}

describeShared('[Y40] templates of EDDI', 'eddi/templates.json', ({ rows }) => {
  test.each((rows as readonly Case[]).map((one) => [one.id, one] as const))('[Y40] [Y46] %s', (_id, one) => {
    const found = result(one)
    if ('expected' in one) expect(found).toEqual(one.expected)
    for (const part of one.expectedContains ?? []) expect(found).toContain(part)
    if (one.expectedPattern !== undefined) expect(found).toMatch(new RegExp(`^${one.expectedPattern}$`))
    expect('expected' in one || one.expectedContains !== undefined || one.expectedPattern !== undefined).toBe(true)
  })
})

/** All texts of a value with the place where each stands. */
function textsOf(value: unknown, place: string): (readonly [string, string])[] {
  if (typeof value === 'string') return [[place, value]]
  if (Array.isArray(value)) return value.flatMap((one, index) => textsOf(one, `${place}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, `${place}.${name}`))
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
}

const agents = join(sharedFolder, 'data/eddi-agents')
const files = existsSync(agents) ? filesBelow(agents) : []
const data: JsonObject = {
  properties: { botName: 'My Bot', botLocation: 'eddi://ai.labs.bot/botstore/bots/6740832a2b0f614abcaee7ab?version=3', temperature: '0.3' },
  memory: { current: { input: 'Vienna' } },
  userInfo: { username: 'ada' },
  question: 'Tea or coffee?',
}

describe('[Y46] every text of the complete agents', () => {
  if (files.length === 0) test(`${ABSENT} complete agents are not beside this clone`, () => {})
  test.each(files)('[Y46] %s is carried over, read and rendered', (file) => {
    const content: unknown = JSON.parse(readFileSync(join(agents, file), 'utf8'))
    for (const [place, text] of textsOf(content, '')) {
      const { text: now, faults } = migrateTemplateWithFaults(text)
      expect(faults, place).toEqual([])
      expect(migrateTemplate(now), place).toBe(now)
      expect(templateFaults(now), place).toEqual([])
      const rendered = compileTemplate(now, { uuid }).render(data)
      expect(rendered, place).not.toMatch(/\[\[\$|\[\(\$|\[# ?th:/)
      if (!/\{|\[\[|\[\(|\[#/.test(text)) expect(rendered, place).toBe(text)
    }
  })
})
