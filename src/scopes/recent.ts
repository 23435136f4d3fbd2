// The things used last, at most so many of them.

export class Recent<K, V> {
  readonly #most: number
  readonly #held = new Map<K, V>()

  constructor(most: number) {
    this.#most = most
  }

  /** The held one, or a new one; the one that was not used for longest goes. */
  get(key: K, make: () => V): V {
    const value = this.#held.has(key) ? (this.#held.get(key) as V) : make()
    this.set(key, value)
    return value
  }

  peek(key: K): V | undefined {
    return this.#held.get(key)
  }

  set(key: K, value: V): void {
    this.#held.delete(key)
    this.#held.set(key, value)
    if (this.#held.size <= this.#most) return
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest)
      return
    }
  }
}
