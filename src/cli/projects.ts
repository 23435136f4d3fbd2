// `steward projects`: list, show, create, archive, remove.

import { resolve } from 'node:path'
import { projects } from '../protocol/api.ts'
import { type Project, project } from '../protocol/shapes.ts'
import { findHub } from './hub.ts'
import { type Call, type Result, table, WrongUsage } from './output.ts'
import { everyRow } from './paging.ts'

export async function listProjects(call: Call, options: { readonly all?: boolean }): Promise<Result> {
  const hub = await findHub(call)
  const rows = await everyRow(hub, '/api/projects', projects, options.all ? { system: true, closed: true } : {})
  const cells = rows.map((one) => [one.name, one.title, one.type, one.status, one.roots.join(', ')])
  return {
    value: rows,
    text: table(
      ['name', 'title', 'type', 'status', 'folders'],
      cells,
      'No projects. Make one with: steward projects create NAME --root FOLDER',
    ),
  }
}

export async function showProject(call: Call, name: string): Promise<Result> {
  const hub = await findHub(call)
  const found = await hub.call('GET', pathOf(name), project)
  return { value: found, text: describe(found) }
}

export type NewProject = { readonly root?: readonly string[]; readonly title?: string; readonly type?: string; readonly group?: string }

/** Folders are taken from where the person stands; the hub stands somewhere else. */
export async function createProject(call: Call, name: string, given: NewProject): Promise<Result> {
  const hub = await findHub(call)
  const { root, ...rest } = given
  const roots = root?.map((folder) => resolve(folder))
  const body = { name, ...rest, ...(roots ? { roots } : {}) }
  const made = await hub.call('POST', '/api/projects', project, { body })
  return { value: made, text: `Project ${made.name} is made.` }
}

/** What is named changes; `root` are then all of its folders. */
export async function changeProject(call: Call, name: string, given: NewProject): Promise<Result> {
  const { root, ...rest } = given
  if (root === undefined && Object.keys(rest).length === 0)
    throw new WrongUsage('Nothing is to be changed; allowed are --root, --title, --type and --group.')
  const hub = await findHub(call)
  const roots = root?.map((folder) => resolve(folder))
  const changed = await hub.call('PATCH', pathOf(name), project, { body: { ...rest, ...(roots ? { roots } : {}) } })
  return { value: changed, text: describe(changed) }
}

export async function archiveProject(call: Call, name: string): Promise<Result> {
  const hub = await findHub(call)
  const changed = await hub.call('POST', `${pathOf(name)}/archive`, project)
  return { value: changed, text: `Project ${changed.name} is archived.` }
}

export async function removeProject(call: Call, name: string, options: { readonly purge?: boolean }): Promise<Result> {
  const hub = await findHub(call)
  const changed = await hub.call('DELETE', pathOf(name), project, { query: { purge: options.purge } })
  return {
    value: changed,
    text: options.purge ? `Project ${changed.name} is archived and its documents are gone.` : `Project ${changed.name} is archived.`,
  }
}

function pathOf(name: string): string {
  return `/api/projects/${encodeURIComponent(name)}`
}

function describe(one: Project): string {
  const lines = [
    `${one.name}  ${one.title}`,
    `status    ${one.status} (${one.kind} ${one.type} in group ${one.group})`,
    `folders   ${one.roots.join(', ') || 'none'}`,
    `active    ${one.lastActivityAt ?? 'not yet'}`,
  ]
  return lines.join('\n')
}
