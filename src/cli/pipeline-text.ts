// What the command line says of imports and faults of pipelines.
import type { PipelineChecked, PipelineImported } from '../protocol/api-pipelines.ts'
import { oneLine } from './output.ts'

export function faultLines(faults: PipelineChecked['faults']): readonly string[] {
  if (faults.length === 0) return []
  return [
    '',
    ...faults.map(({ where, severity, message }) => `${severity === 'error' ? 'FAIL' : 'warn'}  ${where}: ${oneLine(message, 1000)}`),
  ]
}

const signs = { CREATE: 'new', UPDATE: 'change', SKIP: 'as it is' } as const

export function importText(report: PipelineImported): string {
  const { name, items, faults, hosts, secrets, ignored } = report
  return [
    `${name}:`,
    '',
    ...items.map(itemText),
    ...section('It calls', hosts),
    ...section('Secrets', secrets.map(secretText)),
    ...section('Not taken', ignored),
    ...section(
      'Faults',
      faults.map(({ where, message, stops }) => `${stops === null ? 'warn' : 'FAIL'}  ${where}: ${oneLine(message, 1000)}`),
    ),
    '',
    ending(report),
  ].join('\n')
}

function itemText({ kind, name, sourceId, action, differs, notes }: PipelineImported['items'][number]): string {
  const head = `  ${signs[action].padEnd(9)}  ${kind.padEnd(10)}  ${oneLine(name === '' ? sourceId : name, 80)}`
  const becomes = differs.length === 0 ? [] : [`Becomes other: ${differs.join(', ')}`]
  return [head, ...[...becomes, ...notes].map((line) => `${' '.repeat(13)}${oneLine(line, 500)}`)].join('\n')
}

function secretText({ name, state }: PipelineImported['secrets'][number]): string {
  if (state === 'there') return `${name}: is kept here already`
  return state === 'taken'
    ? `${name}: its value stands in the source, and is kept as a secret`
    : `${name}: give it with: steward secrets set ${name}`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]
}

function ending({ applied, items, agent, deployed, notDeployed, faults }: PipelineImported): string {
  const news = items.filter(({ action }) => action !== 'SKIP').length
  if (!applied) {
    const isStopped = faults.some(({ stops }) => stops === 'import')
    return isStopped ? "It can't be imported as it is." : `Nothing was written yet: ${news} would be. Do it without --preview.`
  }
  const written =
    news === 0 ? 'All of it is there already.' : `${news} ${news === 1 ? 'configuration was' : 'configurations were'} written.`
  if (notDeployed !== null) return `${written} It was not deployed:\n${notDeployed}`
  if (deployed) return `${written} It is deployed in ${deployed.environment}${deployed.agent === null ? '' : ` as @${deployed.agent}`}.`
  return `${written} Deploy it with: steward pipelines deploy ${agent?.id ?? ''}`
}
