// Which project a delegation goes to: an existing one that fits, or a new one under a free name.
import { Conflict } from '../../base/errors.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { Project } from '../../protocol/shapes.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { Projects } from '../../scopes/scopes.ts'

export type Plan = { readonly name: string; readonly title: string; readonly goal: string; readonly roots: readonly string[] }

/** `fit`: one that is there and would do, with the reason. `free`: the name of a new one; null: all are taken. */
export type Found = {
  readonly fit: { readonly name: string; readonly title: string; readonly why: string } | null
  readonly free: string | null
}

const pageLength = 200
const mostPages = 50
const lastSuffix = 10
/** Of what a model wrote as a name so much is looked at. */
const longestGiven = 200

/** Looks only. */
export async function findProject(projects: Pick<Projects, 'list' | 'get'>, { name, roots }: Plan): Promise<Found> {
  const all = await allProjects(projects)
  const same = all.find((one) => roots.length > 0 && sameRoots(one.roots, roots))
  const called = all.find((one) => one.name === name)
  const fit = same ?? (called && (roots.length === 0 || sameRoots(called.roots, roots)) ? called : undefined)
  const why = same ? `it works in the same folder (${roots.join(', ')})` : 'it has this name'
  return {
    fit: fit ? { name: fit.name, title: fit.title, why } : null,
    free: await freeName(projects, name),
  }
}

/** Makes it, once: a project of that name, title and folders that is there is the one that this step made before a crash. */
export async function makeProject(projects: Pick<Projects, 'create' | 'get' | 'list'>, plan: Plan, by: Actor): Promise<string> {
  for (let suffix = 1; suffix <= lastSuffix; suffix++) {
    const name = suffix === 1 ? plan.name : withSuffix(plan.name.replace(/-(?:[2-9]|10)$/, ''), suffix)
    const there = await projects.get(name)
    if (there && there.title === plan.title && there.status !== 'CLOSED' && sameRoots(there.roots, plan.roots)) return name
    if (there) continue
    try {
      await projects.create({ name, title: plan.title, roots: plan.roots }, by)
      return name
    } catch (thrown) {
      if (!(thrown instanceof Conflict)) throw thrown
    }
  }
  throw new Conflict(`All names from ${plan.name} to ${plan.name}-${lastSuffix} are taken.`)
}

/** A name that a project may have, made of what the model wrote; null when nothing is left of it. */
export function projectName(given: string): string | null {
  const name = given
    .slice(0, longestGiven)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, 60)
  return name === '' || userOfHome(name) !== null ? null : name
}

async function freeName(projects: Pick<Projects, 'get'>, name: string): Promise<string | null> {
  for (let suffix = 1; suffix <= lastSuffix; suffix++) {
    const one = withSuffix(name, suffix)
    if ((await projects.get(one)) === null) return one
  }
  return null
}

function withSuffix(name: string, suffix: number): string {
  return suffix === 1 ? name : `${name}-${suffix}`
}

async function allProjects(projects: Pick<Projects, 'list'>): Promise<readonly Project[]> {
  const found: Project[] = []
  let after: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const { items, next } = await projects.list({ limit: pageLength, ...(after === undefined ? {} : { after }) })
    found.push(...items)
    if (next === null) break
    after = next
  }
  return found
}

function sameRoots(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && [...one].sort().join('\n') === [...other].sort().join('\n')
}
