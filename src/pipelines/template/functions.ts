// All functions that templates may call, by name. What is not here does not exist for them.
import { listMethods } from './list-methods.ts'
import { anyMethods, type Method } from './methods.ts'
import { spaceFunctions } from './spaces.ts'
import { textMethods } from './text-methods.ts'

/** Maps, so that no name leads to a prototype. */
export const methods: ReadonlyMap<string, Method> = new Map([...anyMethods, ...Object.entries(textMethods), ...Object.entries(listMethods)])
export const functions: ReadonlyMap<string, Method> = new Map(Object.entries(spaceFunctions))

/** Methods that may stand between two values, as in `{list contains 'x'}`. */
export function isInfix(word: string): boolean {
  const method = methods.get(word)
  return method !== undefined && word !== 'or' && method.args[0] <= 1 && method.args[1] >= 1
}

/** What is wrong with so many arguments; null when nothing is. */
export function wrongCount(name: string, method: Method, count: number): string | null {
  const [least, most] = method.args
  if (count >= least && count <= most) return null
  const wanted = least === most ? String(least) : `${least} to ${most}`
  return `${name}() takes ${wanted} argument${most === 1 ? '' : 's'}, not ${count}`
}
