// `steward settings`: what the hub keeps of the person's choices, for a project or for all: list, set, unset.
import { setting, settings } from '../protocol/api.ts'
import { findHub } from './hub.ts'
import { type Call, type Result, table, WrongUsage } from './output.ts'

export type SettingPlace = { readonly project?: string; readonly prefix?: string }

export async function listSettings(call: Call, { project, prefix }: SettingPlace): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/settings', settings, { query: { project, prefix } })
  const cells = items.map(({ key, value }) => [key, JSON.stringify(value)])
  return { value: items, text: table(['setting', 'value'], cells, 'Nothing is set. Set something with: steward settings set KEY VALUE') }
}

/** JSON is taken as what it is, every other text as a text. */
export async function setSetting(
  call: Call,
  given: { readonly key: string; readonly words: string },
  place: SettingPlace,
): Promise<Result> {
  if (given.words.trim() === '')
    throw new WrongUsage('The value is empty; allowed is any text or JSON. Take a setting away with: steward settings unset KEY')
  return put(call, given.key, { value: readValue(given.words), place })
}

export async function unsetSetting(call: Call, key: string, place: SettingPlace): Promise<Result> {
  return put(call, key, { value: null, place })
}

async function put(call: Call, key: string, { value, place }: { readonly value: unknown; readonly place: SettingPlace }): Promise<Result> {
  const hub = await findHub(call)
  const path = `/api/settings/${encodeURIComponent(key)}`
  const made = await hub.call('PUT', path, setting, { query: { project: place.project }, body: { value } })
  const where = place.project === undefined ? '' : ` in project ${place.project}`
  return { value: made, text: value === null ? `${key} is no longer set${where}.` : `${key} is ${JSON.stringify(made.value)}${where}.` }
}

function readValue(words: string): unknown {
  try {
    return JSON.parse(words)
  } catch {
    return words
  }
}
