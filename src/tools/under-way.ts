// The same file written twice at once is written once: two would write into one another's part.

export type UnderWay = (file: string, write: () => Promise<void>) => Promise<void>

/** Who comes while the same is being written waits for that, and fails with it. The same name has to mean the same bytes. */
export function openUnderWay(): UnderWay {
  const writing = new Map<string, Promise<void>>()
  return (file, write) => {
    const known = writing.get(file)
    if (known) return known
    const own = write().finally(() => writing.delete(file))
    writing.set(file, own)
    return own
  }
}
