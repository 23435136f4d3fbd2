// The files of a roster from elsewhere: which is which, and which are no part of it.
import { InvalidInput } from '../../base/errors.ts'
import { readYaml, type YamlText } from '../../base/yaml.ts'
import { isPath } from '../../scopes/document-path.ts'

/** `path`: relative to the roster's folder, `/` between its parts. */
export type GivenFile = { readonly path: string; readonly text: string }
/** What is not taken, and why, as whole sentences. */
export type Skipped = { readonly what: string; readonly file: string; readonly why: string }

export type RosterFiles = {
  readonly routing: ReadFile
  readonly index: ReadFile | null
  /** By the names of the two that it stands between. */
  readonly contracts: readonly (GivenFile & { readonly from: string; readonly to: string })[]
  /** Texts that say who a member is, by its name. */
  readonly personas: ReadonlyMap<string, GivenFile>
  readonly skipped: readonly Skipped[]
}
export type ReadFile = GivenFile & { readonly yaml: YamlText }

export const mostFiles = 500
const mostCharacters = 512_000
const mostOfYaml = 256_000
const mostTogether = 1_000_000

const indexNames: readonly string[] = ['index.yaml', 'roster-index.yaml']
const contractName = /(?:^|\/)contracts\/([a-z][a-z0-9_-]{0,63})-to-([a-z][a-z0-9_-]{0,63})\.ya?ml$/
const personaName = /(?:^|\/)(?:([a-z][a-z0-9_-]{0,63})\/agent|agents\/([a-z][a-z0-9_-]{0,63}))\.md$/

/**
 * Throws InvalidInput for a path that leaves the folder, for too many or too large files, for a file that can be two things, when
 * routing.yaml is missing, and when that or the index can't be read.
 */
export function rosterFiles(given: readonly GivenFile[]): RosterFiles {
  checkSizes(given)
  const routing = only(given, ['routing.yaml'])
  const index = only(given, indexNames)
  if (routing === null) throw wrong('a roster needs its routing.yaml, with a member each under "eidolons"; there is none among the files')
  const contracts: RosterFiles['contracts'][number][] = []
  const personas = new Map<string, GivenFile>()
  const skipped: Skipped[] = []
  for (const file of given) {
    if (file === routing || file === index) continue
    const [, from = '', to = ''] = contractName.exec(file.path) ?? []
    const persona = personaName.exec(file.path)
    if (from !== '') contracts.push({ ...file, from, to })
    else if (persona !== null) personas.set(persona[1] ?? persona[2] ?? '', file)
    else skipped.push({ what: nameOf(file.path), file: file.path, why: whyNot(file.path) })
  }
  return { routing: read(routing), index: index === null ? null : read(index), contracts, personas, skipped }
}

function checkSizes(given: readonly GivenFile[]): void {
  if (given.length > mostFiles) throw wrong(`there are ${given.length} files; at most ${mostFiles} are taken at once`)
  const seen = new Set<string>()
  for (const { path, text } of given) {
    const shown = JSON.stringify(path.slice(0, 200))
    if (!isPath(path)) throw wrong(`the path ${shown} is not possible: allowed are names with "/" between them, none empty, hidden or ".."`)
    if (seen.has(path)) throw wrong(`the file ${shown} is there twice`)
    seen.add(path)
    if (text.length > mostCharacters) throw wrong(`${path} has ${text.length} characters; at most ${mostCharacters} are taken`)
    if (text.includes('\0') || !text.isWellFormed()) throw wrong(`${path} is no text`)
  }
  const all = given.reduce((sum, { text }) => sum + text.length, 0)
  if (all > mostTogether) throw wrong(`the files have ${all} characters together; at most ${mostTogether} are taken`)
}

function only(given: readonly GivenFile[], names: readonly string[]): GivenFile | null {
  const found = given.filter(({ path }) => names.includes(nameOf(path)))
  if (found.length <= 1) return found[0] ?? null
  throw wrong(`which one is meant: ${found.map(({ path }) => path).join(' or ')}? Give the folder that holds one of them`)
}

function read(file: GivenFile): ReadFile {
  const yaml = readYaml(file.text, { mostCharacters: mostOfYaml, aliases: 100 })
  if ('value' in yaml) return { ...file, yaml }
  throw wrong(`${file.path}, line ${yaml.line}: ${yaml.message}`)
}

function whyNot(path: string): string {
  if (nameOf(path).startsWith('model-profiles.')) {
    return "Names of vendors' models are not taken: agents have tiers. Say which model a tier uses with: steward models use TIER MODEL."
  }
  if (/(?:^|\/)contracts\//.test(path)) return 'A contract is named after the two that it stands between: contracts/FROM-to-TO.yaml.'
  return 'It is no part of a roster that is taken: those are routing.yaml, index.yaml, contracts/FROM-to-TO.yaml and NAME/agent.md.'
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function wrong(message: string): InvalidInput {
  return new InvalidInput(`The roster can't be taken: ${message.replace(/\.$/, '')}.`, { path: '/files' })
}
