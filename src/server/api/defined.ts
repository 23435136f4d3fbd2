// What a request left out is left out of what rooms are given.
type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the fields that are undefined. */
export function defined<T extends object>(given: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>
}
