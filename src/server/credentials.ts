// What is open under a login or token, so that it ends when that ends.

export type Credentials = {
  /** Calls `end` when that credential (a caller's; null: one that can't end) is ended. Returns the way to let go. */
  hold(credential: string | null, end: () => void): () => void
  /** `key`: as a caller's `credential`. */
  end(key: string): void
}

export function openCredentials(): Credentials {
  const held = new Map<string, Set<() => void>>()
  return {
    hold(credential, end) {
      if (credential === null) return () => {}
      const ends = held.get(credential) ?? new Set()
      held.set(credential, ends.add(end))
      return () => {
        ends.delete(end)
        if (ends.size === 0) held.delete(credential)
      }
    },
    end(key) {
      const ends = held.get(key)
      held.delete(key)
      for (const end of ends ?? []) end()
    },
  }
}
