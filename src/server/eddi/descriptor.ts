// Descriptors as EDDI's clients read and change them.
import { InvalidInput } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Descriptor } from '../../pipelines/configuration.ts'
import { objectIn } from './route.ts'

export function descriptorOf({ originId, ...rest }: Descriptor): JsonObject {
  return { ...rest, ...(originId === undefined ? {} : { originId }) }
}

/** What a client may change: `{name, description}`, or that as the document of an instruction that sets. */
export function changeIn(body: unknown): { readonly name?: string; readonly description?: string } {
  const given = objectIn(body, 'a descriptor, or {"operation": "SET", "document": {"name": ..., "description": ...}}')
  const document = Object.hasOwn(given, 'document') ? objectIn(given['document'], 'a descriptor') : given
  const { name, description } = document
  for (const [key, value] of Object.entries({ name, description }))
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw new InvalidInput(`/${key} must be a text`, { path: `/${key}` })
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  }
}
