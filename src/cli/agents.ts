// `steward agents`: list, show, check, import.
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { messageOf } from '../base/errors.ts'
import {
  type AgentFault,
  type AgentShown,
  agentChecked,
  agentList,
  agentShown,
  type RosterImported,
  rosterImported,
} from '../protocol/api-agents.ts'
import { findHub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result, table, WrongUsage } from './output.ts'
import { rosterFolder } from './roster-folder.ts'

type At = { readonly project?: string }

export async function listAgents(call: Call, { project }: At): Promise<Result> {
  const hub = await findHub(call)
  const { items, faults } = await hub.call('GET', '/api/agents', agentList, { query: { project } })
  const cells = items.map((one) => [
    one.name,
    one.class,
    one.engine,
    one.tier,
    one.level,
    one.triggers.length > 0
      ? `${shortened(one.triggers, 60)}${one.faults.length > 0 ? '  !' : ''}`
      : `(by name)${one.faults.length > 0 ? '  !' : ''}`,
  ])
  const told = faults.length === 0 ? '' : `\n\n${counted(faults)} Look at them with: steward agents check${at(project)}`
  return { value: items, text: `${table(['name', 'class', 'engine', 'tier', 'from', 'for'], cells, 'No agents.')}${told}` }
}

export async function showAgent(call: Call, name: string, { project }: At): Promise<Result> {
  const hub = await findHub(call)
  const agent = await hub.call('GET', `/api/agents/${encodeURIComponent(name)}`, agentShown, { query: { project } })
  return { value: agent, text: textOf(agent) }
}

/** Without a file: the faults of all files that are seen from there. With one: what would be wrong if it lay there. */
export async function checkAgents(call: Call, file: string | undefined, { project }: At): Promise<Result> {
  const hub = await findHub(call)
  const { faults } =
    file === undefined
      ? await hub.call('GET', '/api/agents', agentList, { query: { project } })
      : await hub.call('POST', '/api/agents/check', agentChecked, {
          body: { path: `agents/${basename(file)}`, text: await textIn(file), ...(project === undefined ? {} : { project }) },
        })
  const isWell = faults.every(({ severity }) => severity === 'warning')
  const lines = faults.map(({ severity, message }) => `${severity === 'error' ? 'FAIL' : 'warn'}  ${oneLine(message, 1000)}`)
  const text = lines.length === 0 ? (file === undefined ? "The agents' files have no faults." : `${file} has no faults.`) : lines.join('\n')
  return { value: faults, text, code: isWell ? exitCodes.done : exitCodes.failed }
}

/** Says first what would be made, changed and left out; `yes` does it. */
export async function importAgents(call: Call, folder: string, given: At & { readonly yes?: boolean }): Promise<Result> {
  const files = await rosterFolder(folder)
  const hub = await findHub(call)
  const { project, yes } = given
  const body = { files, ...(project === undefined ? {} : { project }), ...(yes ? { apply: true } : {}) }
  const report = await hub.call('POST', '/api/agents/import', rosterImported, { body })
  return { value: report, text: reportText(report, `steward agents import ${folder}${at(project)} --yes`) }
}

async function textIn(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > 1_048_576) throw new Error(`it has ${size} bytes, and an agent's file at most 1 MB`)
    if (!file.endsWith('.md')) throw new Error("an agent's file ends with .md")
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    throw new WrongUsage(`"${file}" can't be checked: ${messageOf(error)}`)
  }
}

function textOf(agent: AgentShown): string {
  const { name, title, aliases, class: kind, engine, tier, triggers, refuses, handsOff, pledge, source, faults, persona } = agent
  const rows: readonly (readonly [string, string])[] = [
    ['name', title === name ? name : `${name} (${title})`],
    ['also', aliases.join(', ') || '-'],
    ['class', kind],
    ['engine', engine],
    ['tier', tier],
    ['for', triggers.join(', ') || 'nothing: only by name'],
    ['refuses', refuses.join(', ') || '-'],
    ['hands off', handsOff.join(', ') || 'to nobody'],
    ['may', pledge === null ? 'what its class may' : pledge.join(', ') || 'nothing outside the conversation'],
    ['from', `${source.path}, ${source.level === 'bundled' ? source.level : `${source.level} ${source.scope}, version ${source.version}`}`],
  ]
  const faulty = faults.map(({ severity, message }) => `${severity === 'error' ? 'FAIL' : 'warn'}  ${message}`)
  return [...rows.map(([key, value]) => `${key.padEnd(9)}  ${value}`), ...faulty, '', persona].join('\n')
}

const signs = { create: 'new', update: 'change', same: 'as it is' } as const
type Item = RosterImported['items'][number]

/** Reasons in full: they are what a person decides on. */
function reportText({ place, applied, items, skipped }: RosterImported, again: string): string {
  const one = (sign: string, what: string, lines: readonly string[]) =>
    [`  ${sign.padEnd(9)}  ${oneLine(what, 500)}`, ...lines.map((line) => `${' '.repeat(15)}${oneLine(line, 1000)}`)].join('\n')
  const shown = items
    .filter(({ kind }) => kind !== 'contract')
    .map((item) => one(signs[item.action], item.kind === 'agent' ? `agent ${item.name}` : item.name, notesOn(item)))
  const left = skipped.map(({ what, why }) => one('not taken', what, [why]))
  return [
    `Into ${place.level === 'home' ? 'your home' : `the project ${place.scope}`}:`,
    '',
    ...shown,
    ...contractsIn(items).map(([sign, text]) => one(sign, text, [])),
    ...(left.length > 0 ? ['', ...left] : []),
    '',
    endingOf(items.filter(({ action }) => action !== 'same').length, applied, again),
  ].join('\n')
}

function notesOn({ differs, notes }: Item): readonly string[] {
  return [...(differs.length > 0 ? [`Becomes other: ${differs.join(', ')}.`] : []), ...notes]
}

/** One line for all that become the same: a roster has dozens. */
function contractsIn(items: readonly Item[]): readonly (readonly [string, string])[] {
  return (['create', 'update', 'same'] as const).flatMap((action) => {
    const names = items.filter((item) => item.kind === 'contract' && item.action === action).map(({ name }) => name)
    return names.length === 0
      ? []
      : [[signs[action], `${names.length === 1 ? 'contract' : `${names.length} contracts:`} ${shortened(names, 90)}`] as const]
  })
}

function endingOf(news: number, applied: boolean, again: string): string {
  if (news === 0) return 'All of it is there already; nothing was written.'
  return applied ? `${news} ${news === 1 ? 'document was' : 'documents were'} written.` : `Nothing was written yet. Do it with: ${again}`
}

function counted(faults: readonly AgentFault[]): string {
  const errors = faults.filter(({ severity }) => severity === 'error').length
  const warnings = faults.length - errors
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'fault' : 'faults'}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
  ]
  return `! ${parts.join(' and ')} in the agents' files.`
}

/** As many as fit, then how many more. */
function shortened(words: readonly string[], length: number): string {
  const kept: string[] = []
  for (const word of words) {
    if ([...kept, word].join(', ').length > length && kept.length > 0) return `${kept.join(', ')} and ${words.length - kept.length} more`
    kept.push(word)
  }
  return kept.join(', ')
}

function at(project: string | undefined): string {
  return project === undefined ? '' : ` --project ${project}`
}
