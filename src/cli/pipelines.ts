// `steward pipelines`: list, show, check, import, export, new, deploy, undeploy.
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { readFolder } from '../pipelines/transfer/folder.ts'
import { importLimits } from '../pipelines/transfer/limits.ts'
import { readZip, writeZip } from '../pipelines/transfer/zip.ts'
import {
  deployed,
  imported,
  type PipelineImported,
  type PipelineList,
  pipelineChecked,
  pipelineList,
  pipelineShown,
  templateList,
  undeployed,
} from '../protocol/api-pipelines.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result, table, WrongUsage } from './output.ts'
import { faultLines, importText } from './pipeline-text.ts'

export type InEnvironment = { readonly environment?: string }
export type ImportGiven = {
  readonly strategy?: string
  readonly agent?: string
  readonly target?: string
  readonly order?: string
  readonly only?: string
  readonly preview?: boolean
  readonly deploy?: boolean | string
}

const importMs = 120_000

export async function listPipelines(call: Call, { filter }: { readonly filter?: string }): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/pipelines', pipelineList, { query: { filter } })
  const cells = items.map(({ name, id, version, deployed, agent, description }) => [
    name || id,
    String(version),
    deployed.production === null ? '-' : `${deployed.production} as @${agent ?? '?'}`,
    deployed.test === null ? '-' : String(deployed.test),
    id,
    oneLine(description, 60),
  ])
  const none = 'No pipelines. Import one with: steward pipelines import FILE.zip, or make one with: steward pipelines new'
  return { value: items, text: table(['name', 'version', 'production', 'test', 'id', 'for'], cells, none) }
}

export async function showPipeline(call: Call, name: string, version: string | undefined): Promise<Result> {
  const hub = await findHub(call)
  const path = await pathOf(hub, name)
  const shown = await hub.call('GET', path, pipelineShown, { query: { version: versionIn(version) } })
  const steps = table(
    ['where', 'task', 'configuration'],
    shown.steps.map(({ at, task, uri }) => [at, task, uri ?? '-']),
    'No steps.',
  )
  const head = `${shown.name || shown.id}, version ${shown.shown} of ${shown.version}${shown.agent === null ? '' : `, asked as @${shown.agent}`}`
  return {
    value: shown,
    text: [head, ...(shown.description === '' ? [] : [oneLine(shown.description, 300)]), '', steps, ...faultLines(shown.faults)].join('\n'),
  }
}

export async function checkPipeline(call: Call, name: string, version: string | undefined): Promise<Result> {
  const hub = await findHub(call)
  const checked = await hub.call('GET', `${await pathOf(hub, name)}/check`, pipelineChecked, { query: { version: versionIn(version) } })
  const isWell = checked.faults.every(({ severity }) => severity === 'warning')
  const lines = faultLines(checked.faults)
  const text = lines.length === 0 ? `${checked.name}, version ${checked.version}, can run.` : lines.join('\n').trim()
  return { value: checked, text, code: isWell ? exitCodes.done : exitCodes.failed }
}

/** Says what it did, or with `preview` what it would do. */
export async function importPipeline(call: Call, source: string, given: ImportGiven): Promise<Result> {
  const strategy = given.strategy ?? 'create'
  if (!['create', 'merge', 'upgrade'].includes(strategy))
    throw new WrongUsage(`"${strategy}" is no strategy; allowed are create, merge and upgrade.`)
  const isAddress = /^https?:\/\//i.test(source)
  const file = isAddress ? null : await bytesOf(source)
  const hub = await findHub(call)
  const target = given.target === undefined ? {} : { targetAgentId: await idOf(hub, given.target) }
  const deploy = given.deploy === undefined || given.deploy === false ? {} : { deploy: environmentIn(given.deploy) }
  const common = { strategy, ...target, ...deploy }
  const report =
    file === null
      ? await importFrom(hub, source, { ...common, ...lists(given), apply: !given.preview })
      : await hub.call('POST', '/api/pipelines/import', imported, {
          file,
          query: { ...common, agentId: given.agent, workflowOrder: given.order, selectedResources: given.only, apply: !given.preview },
          timeoutMs: importMs,
        })
  return resultOf(report)
}

function importFrom(hub: Hub, url: string, body: object): Promise<PipelineImported> {
  return hub.call('POST', '/api/pipelines/import-from', imported, { body: { url, ...body }, timeoutMs: importMs })
}

function lists({ order, only }: ImportGiven) {
  return {
    ...(order === undefined ? {} : { workflowOrder: order.split(',') }),
    ...(only === undefined ? {} : { selectedResources: only.split(',') }),
  }
}

/** A folder is packed; a ZIP goes as it is. Both are looked at by the hub. */
async function bytesOf(source: string): Promise<Uint8Array> {
  const about = await stat(source).catch((thrown: unknown) => {
    throw new WrongUsage(`"${source}" can't be read: ${messageOf(thrown)}`)
  })
  if (about.isDirectory()) return writeZip(await readFolder(source), 0)
  if (about.size > importLimits.all) throw new WrongUsage(`"${source}" has ${about.size} bytes; allowed are ${importLimits.all}.`)
  return readFile(source)
}

/** `to`: a file, or a folder when it does not end with .zip. What is there already is not written over. */
export async function exportPipeline(
  call: Call,
  name: string,
  { version, to }: { readonly version: string | undefined; readonly to: string | undefined },
): Promise<Result> {
  const hub = await findHub(call)
  const path = await pathOf(hub, name)
  const query = { version: versionIn(version) }
  const { shown, id } = await hub.call('GET', path, pipelineShown, { query })
  const bytes = await hub.file(`${path}/export`, { query: { version: shown }, timeoutMs: importMs })
  const target = to ?? `${slug(name === '' ? id : name)}-${shown}.zip`
  const files = target.toLowerCase().endsWith('.zip') ? new Map([[target, bytes]]) : inFolder(target, await readZip(bytes))
  for (const [file, content] of files) await writeNew(file, content)
  return { value: { file: target, id, version: shown, files: files.size }, text: `Version ${shown} of ${name} is in ${target}.` }
}

function inFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].map(([name, content]) => [join(folder, name), content]))
}

async function writeNew(file: string, content: Uint8Array): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { flag: 'wx' })
  } catch (thrown) {
    throw new WrongUsage(`"${file}" can't be written: ${messageOf(thrown)}`)
  }
}

export async function newPipeline(
  call: Call,
  template: string | undefined,
  { name, deploy }: { readonly name?: string; readonly deploy?: boolean },
): Promise<Result> {
  const hub = await findHub(call)
  if (template === undefined) {
    const { items } = await hub.call('GET', '/api/pipelines/templates', templateList)
    const cells = items.map(({ template: one, title, description }) => [one, title, oneLine(description, 80)])
    return { value: items, text: table(['template', 'title', 'for'], cells, 'No templates.') }
  }
  if (name === undefined) throw new WrongUsage(`Say what it is to be called: steward pipelines new ${template} --name NAME`)
  const body = { template, name, ...(deploy ? { deploy: 'production' } : {}) }
  return resultOf(await hub.call('POST', '/api/pipelines/new', imported, { body }))
}

export async function deployPipeline(
  call: Call,
  name: string,
  { environment, version }: InEnvironment & { readonly version?: string | undefined },
): Promise<Result> {
  const hub = await findHub(call)
  const number = versionIn(version)
  const body = { environment: environmentIn(environment ?? true), ...(number === undefined ? {} : { version: number }) }
  const made = await hub.call('POST', `${await pathOf(hub, name)}/deploy`, deployed, { body })
  const asked = made.agent === null ? '' : ` Ask it with: steward ask --agent ${made.agent} hello`
  return { value: made, text: `Version ${made.version} of ${name} is deployed in ${made.environment}.${asked}` }
}

export async function undeployPipeline(call: Call, name: string, { environment }: InEnvironment): Promise<Result> {
  const hub = await findHub(call)
  const where = environmentIn(environment ?? true)
  const done = await hub.call('POST', `${await pathOf(hub, name)}/undeploy`, undeployed, { body: { environment: where } })
  const text = done.undeployed ? `${name} is not deployed in ${where} any more.` : `${name} was not deployed in ${where}.`
  return { value: done, text }
}

function resultOf(report: PipelineImported): Result {
  const isWell = report.applied ? report.notDeployed === null : report.faults.every(({ stops }) => stops !== 'import')
  return { value: report, text: importText(report), code: isWell ? exitCodes.done : exitCodes.failed }
}

/** By id, by the name that it has, or by that of its agent. */
async function idOf(hub: Hub, name: string): Promise<string> {
  if (/^(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(name)) return name.toLowerCase()
  const { items } = await hub.call('GET', '/api/pipelines', pipelineList)
  const found = items.filter((one) => isCalled(one, name))
  const [first, second] = found
  if (first && !second) return first.id
  if (first) throw new WrongUsage(`More than one pipeline is called "${name}". Name its id: ${found.map(({ id }) => id).join(', ')}`)
  throw new WrongUsage(`There is no pipeline "${oneLine(name, 60)}". List them with: steward pipelines list`)
}

function isCalled({ id, name: own, agent }: PipelineList['items'][number], name: string): boolean {
  const wanted = name.toLowerCase().replace(/^@/, '')
  return id === wanted || own.toLowerCase() === wanted || agent === wanted
}

async function pathOf(hub: Hub, name: string): Promise<string> {
  return `/api/pipelines/${encodeURIComponent(await idOf(hub, name))}`
}

function versionIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new WrongUsage(`"${oneLine(text, 30)}" is no version; allowed is a whole number from 1.`)
}

function environmentIn(given: string | true): 'production' | 'test' {
  if (given === true || given === 'production') return 'production'
  if (given === 'test') return 'test'
  throw new WrongUsage(`"${oneLine(given, 30)}" is no environment; allowed are production and test.`)
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'pipeline'
  )
}
