// What was made of a sentence.
import type { Language, Talk, Thing } from './vocabulary.ts'

export type Act =
  | Exclude<Talk, 'agents' | 'waiting' | 'status' | 'models'>
  | 'list_projects'
  | 'new_project'
  | 'archive_project'
  | 'about_projects'
  | 'list_notes'
  | 'new_note'
  | 'show_note'
  | 'delete_note'
  | 'about_notes'
  | 'list_agents'
  | 'show_agent'
  | 'list_sessions'
  | 'list_waiting'
  | 'status'
  | 'models'
  | 'search'
  | 'reminder'
  | 'delete_what'
  | 'refused'
  | 'unknown'

export type Reading = {
  readonly act: Act
  readonly language: Language | ''
  readonly about: Thing | ''
  readonly name: string
  readonly text: string
  readonly answer: 'yes' | 'no' | ''
  /** It says what is to be done and with what: no name that was asked for. */
  readonly isClear: boolean
}
