// Which folders a delegated project may see: only those that the person's own words name, as they really are on the disk (E6).
// What may be a root at all says scopes/root-folder.ts.
import { isAbsolute, join, resolve } from 'node:path'
import { type RootRules, rootFolder } from '../../scopes/root-folder.ts'

/** What a person said, and the folder that their terminal stood in. */
export type Said = { readonly text: string; readonly folder: string | null }

/** `needsFolder`: it is named, but nobody knows from where; the person has to say. */
export type Roots =
  | { readonly ok: true; readonly roots: readonly string[] }
  | { readonly ok: false; readonly why: string }
  | { readonly ok: false; readonly needsFolder: string }

/** `wanted` as the model wrote them. Real, absolute folders, each once. */
export async function rootsFor(wanted: readonly string[], said: readonly Said[], rules: RootRules): Promise<Roots> {
  const roots: string[] = []
  for (const one of wanted) {
    const place = placeNamed(one, said, rules.homedir)
    if (typeof place !== 'string') return place
    const real = await rootFolder(place, rules)
    if (!real.ok) return { ok: false, why: real.why }
    if (!roots.includes(real.root)) roots.push(real.root)
  }
  return { ok: true, roots }
}

/** The path as an absolute one, or why it can't be. */
export function placeNamed(wanted: string, said: readonly Said[], homedir: string): string | Exclude<Roots, { ok: true }> {
  const words = wanted.trim()
  if (words === '') return { ok: false, why: 'A root is the name of a folder; this one is empty.' }
  let isNamed = false
  for (const { text, folder } of said) {
    const place = placeOf(words, folder, homedir)
    const named = candidates(text)
    if (named.some((one) => plain(one) === plain(words))) isNamed = true
    else if (place === null || !named.some((one) => placeOf(one, folder, homedir) === place)) continue
    if (place !== null) return place
  }
  if (isNamed) return { ok: false, needsFolder: words }
  return {
    ok: false,
    why: `The person did not name the folder ${JSON.stringify(words.slice(0, 200))}: roots are only folders that their own message names. Ask them, or leave it out.`,
  }
}

/** null: it is relative and nobody knows to what. */
export function placeOf(path: string, folder: string | null, homedir: string): string | null {
  if (path === '~' || path.startsWith('~/')) return join(homedir, path.slice(1))
  if (isAbsolute(path)) return resolve(path)
  return folder === null ? null : resolve(folder, path)
}

/** No system has longer ones. */
const longestPath = 4096

/** Everything in a text that could be meant as a path: quoted parts, and words without the punctuation around them. */
export function candidates(text: string): readonly string[] {
  const quoted = [
    ...text.matchAll(/"([^"\n]{1,4096})"|'([^'\n]{1,4096})'|`([^`\n]{1,4096})`|“([^”\n]{1,4096})”|„([^“”\n]{1,4096})[“”]/g),
  ].map((found) => found.slice(1).find(Boolean) ?? '')
  const short = text.split(/\s+/).filter((word) => word.length <= longestPath)
  const words = short.map((word) =>
    word
      .replace(/^[("'`“„<[]+/, '')
      .replace(/[)"'`”“>\],;:!?]+$/, '')
      .replace(/(?<=[^./])\.+$/, ''),
  )
  const here = /\b(this|current|present) (folder|directory|project)\b|\b(diese[mrs]?|aktuelle[mnrs]?) (Ordner|Verzeichnis|Projekt)\b/i.test(
    text,
  )
  return [...quoted, ...words, ...(here ? ['.'] : [])].filter((one) => one !== '')
}

/** `./shop/` and `shop` are one. */
function plain(path: string): string {
  const trimmed = path
    .trim()
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '')
  return trimmed === '' ? (path.startsWith('/') ? '/' : '.') : trimmed
}
