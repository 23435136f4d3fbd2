// What things may be called. Each check returns the name or throws InvalidInput that says what is allowed.
import { isAbsolute, normalize } from 'node:path'
import { InvalidInput } from '../base/errors.ts'

export const tenantProject = '_tenant'
export const homeGroup = '_home'
export const defaultGroup = 'default'
const homePrefix = '_user_'

/** The hub's project of a login name. */
export function homeOf(user: string): string {
  return homePrefix + user
}

/** The login name of a home project; null for any other name, also for the bare prefix. */
export function userOfHome(project: string): string | null {
  return project.startsWith(homePrefix) && project.length > homePrefix.length ? project.slice(homePrefix.length) : null
}

/** Names of projects and groups that people make. */
export function checkName(name: unknown, what: 'project' | 'group', path: string): string {
  if (typeof name === 'string' && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name
  if (typeof name === 'string' && name.startsWith('_')) {
    throw new InvalidInput(`The ${what} name ${quote(name)} is not possible: names that start with "_" belong to the hub.`, { path })
  }
  const allowed = '1 to 64 lower case letters, digits, "-" and "_", the first a letter or digit'
  throw new InvalidInput(`The ${what} name ${quote(name)} is not possible: allowed are ${allowed}.`, { path })
}

/** A login name as part of a project's and a folder's name. People decide which exist. */
export function checkLogin(user: unknown): string {
  if (typeof user === 'string' && /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,57}$/u.test(user)) return user
  const allowed = '1 to 58 letters, digits, ".", "_", "@", "+" and "-", the first a letter or digit'
  throw new InvalidInput(`The login name ${quote(user)} is not possible: allowed are ${allowed}.`, { path: '/user' })
}

export function checkTitle(title: unknown, path = '/title'): string {
  const text = typeof title === 'string' ? title.trim() : ''
  if (text.length >= 1 && text.length <= 200 && !hasControl(text) && text.isWellFormed()) return text
  throw new InvalidInput('A title is one line of 1 to 200 characters.', { path })
}

/** A client's profile: `web`, `terminal` (also called `foot`), `mobile`, `eddie`, `daemon`, or another word. */
export function checkProfile(profile: unknown): string {
  if (profile === 'foot') return 'terminal'
  if (typeof profile === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(profile)) return profile
  const allowed = '1 to 32 lower case letters, digits, "-" and "_", the first a letter'
  throw new InvalidInput(`The profile ${quote(profile)} is not possible: allowed are ${allowed}.`, { path: '/profile' })
}

/** Folders that a project's agents may see: absolute, each once, at most 64. */
export function checkRoots(roots: unknown): readonly string[] {
  if (!Array.isArray(roots) || roots.length > 64) throw new InvalidInput('Roots are a list of at most 64 folders.', { path: '/roots' })
  const seen = roots.map((root: unknown, at) => {
    if (typeof root === 'string' && isAbsolute(root) && root.length <= 4096 && !hasControl(root)) return normalize(root)
    throw new InvalidInput(`The root ${quote(root)} is not possible: a root is the absolute path of a folder.`, { path: `/roots/${at}` })
  })
  return [...new Set(seen)]
}

/** One of the words of a list. */
export function checkWord<const W extends string>(word: unknown, allowed: readonly W[], path: string): W {
  const found = allowed.find((one) => one === word)
  if (found !== undefined) return found
  throw new InvalidInput(`${quote(word)} is not possible here: allowed are ${allowed.join(', ')}.`, { path })
}

/** What was given, short enough for a message. */
export function quote(given: unknown): string {
  const text = typeof given === 'string' ? JSON.stringify(given) : String(given)
  return text.length > 80 ? `${text.slice(0, 76)}..."` : text
}

export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 32 || code === 127) return true
  }
  return false
}
