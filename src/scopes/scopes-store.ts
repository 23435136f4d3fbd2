// What this room needs of a store for projects, groups and settings: a projection over their facts, and its readers.
import type { Json } from '../base/json.ts'
import type { Projection } from '../journal/projection.ts'
import type { Project } from '../protocol/shapes.ts'
import type { Place } from './events.ts'
import type { Page, Paging } from './scopes.ts'

export type SettingRow = Place & {
  readonly key: string
  readonly value: Json
  readonly version: number
  readonly at: number
  readonly by: string
}

export interface ScopesStore {
  readonly projection: Projection
  project(name: string): Promise<Project | null>
  /** By name. */
  projects(paging: Paging & { readonly system: boolean; readonly closed: boolean }): Promise<Page<Project>>
  groups(): Promise<readonly { readonly name: string; readonly title: string }[]>
  /** The value at the first of the places that has one. */
  setting(key: string, places: readonly Place[]): Promise<SettingRow | null>
  /** Every set key with that literal prefix, the first place that has it winning, by key. */
  settings(prefix: string, places: readonly Place[]): Promise<readonly SettingRow[]>
  /** All versions at one place, oldest first, removals (null) included. */
  settingVersions(key: string, place: Place): Promise<readonly SettingRow[]>
}
