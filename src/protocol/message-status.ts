// How a line of a conversation stands. Without the schema library, so that the page and the terminal may read it.
export const messageStatuses = ['queued', 'accepted', 'writing', 'settled', 'stopped', 'failed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Nothing more becomes of it. */
export function isFinal(status: MessageStatus | 'waiting'): boolean {
  return status === 'settled' || status === 'stopped' || status === 'failed'
}
