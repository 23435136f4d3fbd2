// Reads parts of events without a schema library, for the fold of view.ts: what doesn't fit is null or left out, never a throw.

import { isObject } from '../base/json.ts'
import type { Attachment, Message, Option } from './message.ts'
import { messageStatuses } from './message-status.ts'

export type Untrusted = Readonly<Record<string, unknown>>

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function record(value: unknown): Untrusted | null {
  return isObject(value) ? value : null
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function records(value: unknown): readonly Untrusted[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

const roles: readonly Message['role'][] = ['user', 'assistant', 'system']

export function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | null {
  return allowed.find((one) => one === value) ?? null
}

/** A message; null when it lacks what every message has. `around` fills in what its event says about it. */
export function readLine(
  value: unknown,
  around: { readonly at: string; readonly cursor: string; readonly session: string },
): Message | null {
  const given = record(value)
  const id = text(given?.id)
  const words = text(given?.text)
  const role = oneOf(roles, given?.role)
  const status = oneOf(messageStatuses, given?.status)
  if (!given || id === null || words === null || !role || !status) return null
  return {
    id,
    session: text(given.session) ?? around.session,
    parent: text(given.parent),
    role,
    actor: text(given.actor) ?? '',
    text: words,
    status,
    at: text(given.at) ?? around.at,
    cursor: text(given.cursor) ?? around.cursor,
    ...readExtras(given),
  }
}

function readExtras(given: Untrusted): Pick<Partial<Message>, 'clientId' | 'agent' | 'info' | 'options' | 'attachments'> {
  const [clientId, agent, info] = [text(given.clientId), text(given.agent), text(given.info)]
  const options = readOptions(given.options)
  const attachments = readAttachments(given.attachments)
  return {
    ...(clientId === null ? {} : { clientId }),
    ...(agent === null ? {} : { agent }),
    ...(info === null ? {} : { info }),
    ...(options.length === 0 ? {} : { options: [...options] }),
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
  }
}

export function readOptions(value: unknown): readonly Option[] {
  return records(value).flatMap((given) => {
    const label = text(given.label)
    const description = text(given.description)
    if (label === null) return []
    return [description === null ? { label } : { label, description }]
  })
}

function readAttachments(value: unknown): readonly Attachment[] {
  return records(value).flatMap((given) => {
    const [id, name, mime] = [text(given.id), text(given.name), text(given.mime)]
    if (id === null) return []
    const size = typeof given.size === 'number' ? { size: given.size } : {}
    return [{ id, ...(name === null ? {} : { name }), ...(mime === null ? {} : { mime }), ...size }]
  })
}

/** The messages among the entries that a turn took, with their place in the tree when it is said. */
export function readTaken(value: unknown): readonly { readonly message: string; readonly parent?: string | null }[] {
  return records(value).flatMap((given) => {
    const message = text(given.message)
    if (message === null) return []
    const isPlace = given.parent === null || typeof given.parent === 'string'
    return [isPlace ? { message, parent: text(given.parent) } : { message }]
  })
}
