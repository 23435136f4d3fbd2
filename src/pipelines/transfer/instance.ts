// An agent as another instance tells of it over HTTP: read into the same files that an archive holds.
//
// Y185  Another instance is read through the guard of the web, within the limits of an import; what it does not answer is named.
import { InvalidInput, messageOf } from '../../base/errors.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { refIn } from '../configurations/uri.ts'
import { namesOfSnippets } from './export.ts'
import { fileOf, snippetFolder } from './layout.ts'
import { ImportRefused, importLimits, shown } from './limits.ts'
import { jsonIn } from './text.ts'
import { mapObject } from './walk.ts'
import type { Files } from './zip.ts'

/** A GET of that address. Throws for what can't be reached or may not be; `bytes` are at most `most`. */
export type Fetch = (url: string, most: number) => Promise<{ readonly status: number; readonly bytes: Uint8Array }>

type Named = { readonly kind: Kind; readonly id: string; readonly path: string; readonly version: number | null }
type Reading = { readonly base: string; readonly fetch: Fetch; readonly files: Map<string, Uint8Array>; total: number }

/** `url`: of an agent there. Throws InvalidInput for another address, ImportRefused for what can't be taken. */
export async function filesOf(url: string, fetch: Fetch): Promise<Files> {
  const { base, agent } = placeOf(url)
  const reading: Reading = { base, fetch, files: new Map(), total: 0 }
  const top = agent.version === null ? { ...agent, version: await newestOf(reading, agent) } : agent
  const waiting: Named[] = [top]
  const seen = new Set<string>()
  const texts: string[] = []
  for (let one = waiting.shift(); one; one = waiting.shift()) {
    if (seen.has(one.path)) continue
    seen.add(one.path)
    const value = await take(reading, one, '')
    texts.push(JSON.stringify(value))
    waiting.push(...namedIn(value))
  }
  await takeSnippets(reading, namesOfSnippets(texts.join('\n')))
  return reading.files
}

function placeOf(url: string): { readonly base: string; readonly agent: Named } {
  const wanted = 'the address of an agent is wanted, like https://host/agentstore/agents/<id>?version=1'
  const plain = url.trim()
  const found = /^(https?:\/\/[^?#]+?)\/([a-z]+store\/[a-z]+)\/([A-Za-z0-9-]+)\/?(\?[^#]*)?$/.exec(plain)
  const ref = found && refIn(plain)
  if (!found || !ref || ref.kind !== 'agent') throw new InvalidInput(`${shown(url)} can't be imported: ${wanted}`, { path: 'url' })
  const [, base = '', store = ''] = found
  return { base, agent: { kind: 'agent', id: ref.id, version: ref.version, path: `/${store}/${ref.id}` } }
}

async function newestOf(reading: Reading, { path }: Named): Promise<number> {
  const { status, bytes } = await ask(reading, `${path}/currentversion`)
  const version = Number(new TextDecoder().decode(bytes).trim())
  if (status === 200 && Number.isSafeInteger(version) && version > 0) return version
  throw new ImportRefused(null, `${reading.base} does not say which version of the agent is the newest: add ?version=<n>`)
}

/** Reads one with what describes it; puts both among the files. */
async function take(reading: Reading, one: Named, folder: string): Promise<JsonObject> {
  const query = one.version === null ? '' : `?version=${one.version}`
  const { status, bytes } = await ask(reading, `${one.path}${query}`)
  if (status !== 200) throw new ImportRefused(null, `${reading.base}${one.path}${query} answered ${status}`)
  const file = fileOf(one, folder)
  const value = jsonIn(file, bytes)
  if (!isJsonObject(value)) throw new ImportRefused(file, 'a JSON object is wanted')
  keep(reading, file, bytes)
  const about = await ask(reading, `/descriptorstore/descriptors/${one.id}${query}`)
  if (about.status === 200) keep(reading, `${folder}${one.id}.descriptor.json`, about.bytes)
  return value
}

function keep(reading: Reading, file: string, bytes: Uint8Array): void {
  reading.total += bytes.length
  if (reading.files.size >= importLimits.files) throw new ImportRefused(null, `there are more than ${importLimits.files} files`)
  if (reading.total > importLimits.all) throw new ImportRefused(null, `there are more than ${importLimits.all} bytes in all`)
  reading.files.set(file, bytes)
}

async function ask({ base, fetch }: Reading, path: string) {
  try {
    return await fetch(`${base}${path}`, importLimits.file)
  } catch (thrown) {
    throw thrown instanceof ImportRefused ? thrown : new ImportRefused(null, `${base}${path} can't be read: ${messageOf(thrown)}`)
  }
}

/** By the stores that the instance itself names, whichever generation it is of. */
function namedIn(value: JsonObject): readonly Named[] {
  const found: Named[] = []
  mapObject(value, (text) => {
    const ref = text.startsWith('eddi://') ? refIn(text) : null
    const [, store] = /^eddi:\/\/[a-z.]+\/([a-z]+\/[a-z]+)\//i.exec(text) ?? []
    if (ref && store !== undefined) found.push({ kind: ref.kind, id: ref.id, version: ref.version, path: `/${store}/${ref.id}` })
    return text
  })
  return found
}

/** An older instance has no snippets. */
async function takeSnippets(reading: Reading, names: ReadonlySet<string>): Promise<void> {
  if (names.size === 0) return
  const { status, bytes } = await ask(reading, '/snippetstore/snippets/descriptors?index=0&limit=1000')
  const listed = status === 200 ? jsonIn('snippets', bytes) : []
  for (const one of Array.isArray(listed) ? listed : []) {
    if (!isJsonObject(one) || typeof one['resource'] !== 'string' || !names.has(String(one['name']))) continue
    const ref = refIn(one['resource'])
    if (ref?.kind === 'snippet') await take(reading, { ...ref, path: `/snippetstore/snippets/${ref.id}` }, snippetFolder)
  }
}
