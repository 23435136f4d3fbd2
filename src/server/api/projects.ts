// Projects.
import { NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import * as api from '../../protocol/api.ts'
import { type Project, project as shape } from '../../protocol/shapes.ts'
import { userOfHome } from '../../scopes/names.ts'
import { checkRootFolders } from '../../scopes/root-folder.ts'
import { type Caller, need } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh, seen } from '../session-of.ts'
import { defined } from './defined.ts'

export const projectCalls = [
  endpoint({
    method: 'GET',
    path: '/api/projects',
    summary: 'Projects; those of the system and closed ones only when asked for',
    access: 'read',
    query: api.projectsQuery,
    answers: { 200: api.projects },
    async run({ hub, query }) {
      await fresh(hub)
      return { status: 200, body: await hub.scopes.projects.list({ ...defined(query), limit: query.limit }) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/projects',
    summary: 'A new project',
    access: 'projects',
    body: api.newProject,
    answers: { 201: shape },
    async run({ hub, caller, body }) {
      const { policy, ...rest } = body
      if (policy !== undefined) need(caller, 'grants')
      if (body.roots) await checkRootFolders(body.roots, [], hub.places)
      const given = { ...defined(rest), name: body.name, ...(policy === undefined ? {} : { policy: policy as JsonObject }) }
      const project = await seen(hub, hub.scopes.projects.create(given, caller.actor))
      return { status: 201, body: project, headers: { Location: `/api/projects/${encodeURIComponent(project.name)}` } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/projects/:name',
    summary: 'One project',
    access: 'read',
    answers: { 200: shape },
    async run({ hub, caller, params }) {
      await fresh(hub)
      return { status: 200, body: await projectOf(hub, caller, params['name'] ?? '') }
    },
  }),
  endpoint({
    method: 'PATCH',
    path: '/api/projects/:name',
    summary: 'Changes title, kind of work, group, folders or policy',
    access: 'projects',
    body: api.projectPatch,
    answers: { 200: shape },
    async run({ hub, caller, params, body }) {
      const { name, roots } = await projectOf(hub, caller, params['name'] ?? '')
      const { policy, ...rest } = body
      if (policy !== undefined) need(caller, 'grants')
      if (body.roots) await checkRootFolders(body.roots, roots, hub.places)
      const given = { ...defined(rest), ...(policy === undefined ? {} : { policy: policy as JsonObject }) }
      return { status: 200, body: await seen(hub, hub.scopes.projects.change(name, given, caller.actor)) }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/projects/:name',
    summary: 'Archives the project; with ?purge=true its documents are removed for good',
    access: 'projects',
    query: api.purgeQuery,
    answers: { 200: shape },
    async run({ hub, caller, params, query }) {
      const { name } = await projectOf(hub, caller, params['name'] ?? '')
      const options = { purge: query.purge === true }
      const removed = await seen(hub, hub.scopes.projects.remove(name, caller.actor, options))
      if (options.purge) await hub.attachments.sweep()
      return { status: 200, body: removed }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/projects/:name/archive',
    summary: 'Archives the project',
    access: 'projects',
    answers: { 200: shape },
    async run({ hub, caller, params }) {
      const { name } = await projectOf(hub, caller, params['name'] ?? '')
      return { status: 200, body: await seen(hub, hub.scopes.projects.remove(name, caller.actor)) }
    },
  }),
]

/** Throws NotFound for an unknown project and for somebody else's home. */
export async function projectOf(hub: Hub, caller: Caller, name: string): Promise<Project> {
  const user = userOfHome(name)
  const isForeignHome = user !== null && user !== caller.user.name
  const project = isForeignHome || name.length > 100 ? null : await hub.scopes.projects.resolve(name)
  if (project) return project
  throw new NotFound(`there is no project ${JSON.stringify(name.slice(0, 100))}`)
}
