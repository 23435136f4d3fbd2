// Documents through their cascade.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { policyFile } from '../../policy/rule.ts'
import * as api from '../../protocol/api.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { ScopeRef } from '../../scopes/scopes.ts'
import { checkText } from '../body.ts'
import { type Caller, need } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh, seen } from '../session-of.ts'
import { projectOf } from './projects.ts'

export const documentCalls = [
  endpoint({
    method: 'GET',
    path: '/api/documents',
    summary: 'Documents below a prefix, inner ones hiding outer ones, without their text',
    access: 'read',
    query: api.documentsQuery,
    answers: { 200: api.documents },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const found = await hub.scopes.documents.list(query.prefix ?? '', await scopeOf(hub, caller, query.project))
      return { status: 200, body: { items: found.map(({ text: _, ...document }) => document), next: null } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/documents/:path{.+}',
    summary: 'A document, with the level of the cascade that it came from',
    access: 'read',
    query: api.documentQuery,
    answers: { 200: api.document },
    async run({ hub, caller, params, query }) {
      const path = checkPath(params['path'] ?? '')
      await fresh(hub)
      const found = await hub.scopes.documents.find(path, await scopeOf(hub, caller, query.project))
      if (found) return { status: 200, body: found }
      throw new NotFound(`there is no document ${JSON.stringify(path)} here`)
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/api/documents/:path{.+}',
    summary: "Writes a document: into the project, or without one into the person's home",
    access: 'documents',
    query: api.documentQuery,
    body: api.documentPut,
    answers: { 200: api.document },
    async run({ hub, caller, params, query, body }) {
      const path = checkPath(params['path'] ?? '')
      if (path === policyFile) need(caller, 'grants')
      const place = await placeOf(hub, caller, query.project)
      const mime = body.mime === undefined ? {} : { mime: body.mime }
      const expected = body.expected === undefined ? {} : { expected: body.expected }
      const given = { path, ...place, text: body.text, ...mime, ...expected }
      return { status: 200, body: await seen(hub, hub.scopes.documents.write(given, caller.actor)) }
    },
  }),
]

/** Where somebody looks from who names that project, or none: their own home. Throws NotFound. */
export async function scopeOf(hub: Hub, caller: Caller, project: string | undefined): Promise<ScopeRef> {
  const user = caller.user.name
  return project === undefined ? { user } : { user, project: (await projectOf(hub, caller, project)).name }
}

/** Where somebody writes who names that project, or none. Throws NotFound. */
export async function placeOf(
  hub: Hub,
  caller: Caller,
  project: string | undefined,
): Promise<{ readonly level: 'home' | 'project'; readonly scope: string }> {
  if (project !== undefined) {
    const { name } = await projectOf(hub, caller, project)
    if (userOfHome(name) === null) return { level: 'project', scope: name }
  }
  return { level: 'home', scope: (await hub.scopes.projects.ensureHome(caller.user.name)).name }
}

/** A path of names with `/` between them, no `.` or `..`, at most 500 characters. Throws InvalidInput. */
function checkPath(path: string): string {
  checkText(path, '/path')
  const isPlain = path.length <= 500 && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPlain && !path.includes('\\')) return path
  throw new InvalidInput('a document is named by a path like agents/scout.md, without . or .. parts, at most 500 characters', {
    path: '/path',
  })
}
