// The global position that clients resume from: the store's generation and a number. A restored store has a new generation,
// so that a cursor given out before the restore is seen as foreign instead of pointing at other events (T32).

export type Position = { readonly generation: number; readonly number: number }

/** '3.1207': generation 3, event 1207. Opaque to clients. */
export function formatCursor(generation: number, number: number): string {
  return `${generation}.${number}`
}

/** null when the text is no cursor. */
export function parseCursor(text: string): Position | null {
  const match = /^(\d{1,9})\.(\d{1,15})$/.exec(text)
  return match ? { generation: Number(match[1]), number: Number(match[2]) } : null
}
