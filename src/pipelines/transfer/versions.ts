// Two versions of one configuration in one archive: an agent of several workflows of which only one has moved on. Each lies in its
// workflow's folder, and the workflow names its version. One keeps the id; the others become configurations of their own.
import { dirname } from 'node:path'
import { sha256 } from '../../base/hash.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { referencesIn, withReferences } from '../configurations/graph.ts'

/** A file of an archive that holds a configuration. */
export type FoundFile = {
  readonly kind: Kind
  readonly id: string
  readonly file: string
  readonly value: JsonObject
  /** Of this file, in sentences. */
  readonly note?: string
}

type Version = FoundFile & { readonly version: number }

/**
 * The same files, with an id of its own for each version of a configuration but the newest, and workflows that name it. What lies in
 * no workflow's folder, or is named in one version only, stays as it is.
 */
export function apartByVersion(files: readonly FoundFile[]): readonly FoundFile[] {
  const workflows = files.filter(({ kind }) => kind === 'workflow')
  if (workflows.length < 2) return files
  const byFolder = new Map(workflows.map((one) => [dirname(one.file), one]))
  const known = Map.groupBy(
    files.flatMap((one) => versionOf(one, byFolder) ?? []),
    ({ kind, id }) => `${kind}/${id}`,
  )
  const ids = new Map<string, string>()
  for (const versions of known.values()) {
    const newest = Math.max(...versions.map(({ version }) => version))
    for (const { kind, id, version } of versions) if (version !== newest) ids.set(nameOf(kind, id, version), ownId(kind, id, version))
  }
  return ids.size === 0 ? files : files.map((one) => renamed(one, { ids, version: versionOf(one, byFolder)?.version }))
}

/** As its workflow names it; null where none does, or in two versions at once. */
function versionOf(one: FoundFile, workflows: ReadonlyMap<string, FoundFile>): Version | null {
  const workflow = one.kind === 'workflow' ? undefined : workflows.get(dirname(one.file))
  if (workflow === undefined) return null
  const named = referencesIn(workflow.value).filter(({ kind, id }) => kind === one.kind && id === one.id)
  const [version, other] = new Set(named.map((ref) => ref.version))
  return typeof version !== 'number' || other !== undefined ? null : { ...one, version }
}

type Renaming = { readonly ids: ReadonlyMap<string, string>; readonly version: number | undefined }

function renamed(one: FoundFile, { ids, version }: Renaming): FoundFile {
  if (one.kind === 'workflow') return { ...one, value: namingOwn(one.value, ids) }
  const id = version === undefined ? undefined : ids.get(nameOf(one.kind, one.id, version))
  if (id === undefined) return one
  return {
    ...one,
    id,
    note: `it is version ${version} of ${one.id}, of which a newer one is here too, and becomes a configuration of its own`,
  }
}

function namingOwn(value: JsonObject, ids: Renaming['ids']): JsonObject {
  return withReferences(value, ({ kind, id, version }) => {
    const own = version === null ? undefined : ids.get(nameOf(kind, id, version))
    return own === undefined || version === null ? null : { kind, id: own, version }
  })
}

function nameOf(kind: Kind, id: string, version: number): string {
  return `${kind}/${id}?version=${version}`
}

/** The same each time, so that a second import finds what the first made. */
function ownId(kind: Kind, id: string, version: number): string {
  return sha256(nameOf(kind, id, version)).slice(0, 24)
}
