// Copies that parts of a deep run are built in (E30): what is said about a file of the project is said about its copies too. Pure.

const copy = /^(.*)\/\.steward\/run_[^/]+\/\d+(\/.*)?$/s

/** The project's own file that a copy stands for: of `/p/.steward/run_x-s2/1/a.ts` it is `/p/a.ts`. null: it is no copy. */
export function originalOf(path: string): string | null {
  const found = copy.exec(path)
  return found === null ? null : `${found[1] ?? ''}${found[2] ?? ''}` || '/'
}
