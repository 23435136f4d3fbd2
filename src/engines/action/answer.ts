// What a person means by a text that answers an open question with a fixed set of answers. Only what is unmistakable counts:
// "yes, but check the tests first" is no yes.

export type GateType = 'APPROVAL' | 'DECISION' | 'FEEDBACK'
export type GateAnswer = { readonly approved: boolean } | { readonly chosen: string } | { readonly text: string }

const yes: ReadonlySet<string> = new Set([
  'yes',
  'y',
  'yep',
  'yeah',
  'yes please',
  'ok',
  'okay',
  'approve',
  'approved',
  'accept',
  'accepted',
  'go ahead',
  'do it',
  'lgtm',
  'sure',
  'ja',
  'ja bitte',
  'jawohl',
  'gerne',
  'klar',
  'passt',
  'in ordnung',
  'einverstanden',
  'genehmigt',
  'freigeben',
  'freigegeben',
  'oui',
  'si',
  'sí',
])
const no: ReadonlySet<string> = new Set([
  'no',
  'n',
  'nope',
  'no thanks',
  'cancel',
  'abort',
  'reject',
  'rejected',
  'deny',
  'denied',
  'stop',
  'nein',
  'nein danke',
  'abbrechen',
  'ablehnen',
  'abgelehnt',
  'non',
])

/** A choice is a word or a label. */
const longestChoice = 1_000

/** null: it is not an answer to that. */
export function gateAnswer(given: {
  readonly type: GateType
  readonly text: string
  readonly options?: readonly string[]
}): GateAnswer | null {
  const text = given.text.trim()
  if (text === '') return null
  if (given.type === 'FEEDBACK') return { text }
  if (text.length > longestChoice) return null
  const word = plain(text)
  if (given.type === 'DECISION') {
    const chosen = given.options?.find((option) => plain(option) === word)
    return chosen === undefined ? null : { chosen }
  }
  if (yes.has(word)) return { approved: true }
  return no.has(word) ? { approved: false } : null
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s.!,;:]+$/u, '')
    .replace(/\s+/g, ' ')
    .trim()
}
