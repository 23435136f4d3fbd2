// What a name means where it stands: the innermost section that binds it, else the data.
import type { Json } from '../../base/json.ts'
import type { Evaluate } from './run.ts'
import { isMap, ownMember } from './values.ts'

type LoopSlots = { readonly item: number; readonly index: number; readonly size: number }

export class Names {
  private readonly outer: Names | null
  private readonly find: (name: string) => Evaluate | null

  private constructor(outer: Names | null, find: (name: string) => Evaluate | null) {
    this.outer = outer
    this.find = find
  }

  /** Names of the data alone. */
  static ofData(): Names {
    return new Names(null, () => null)
  }

  withSlots(slots: ReadonlyMap<string, number>): Names {
    return new Names(this, (name) => {
      const slot = slots.get(name)
      return slot === undefined ? null : (run) => run.slots[slot] ?? null
    })
  }

  /** The item of a loop by its alias, and what is known of its place as `alias_count` and the like. */
  withLoop(alias: string, slots: LoopSlots): Names {
    return new Names(this, (name) => {
      if (name === alias) return (run) => run.slots[slots.item] ?? null
      const place = name.startsWith(`${alias}_`) ? places.get(name.slice(alias.length + 1)) : undefined
      return place ? (run) => place(Number(run.slots[slots.index]), Number(run.slots[slots.size])) : null
    })
  }

  /** Members of an object before anything else; `this` is the object. */
  withObject(slot: number): Names {
    return new Names(this, (name) => {
      if (name === 'this') return (run) => run.slots[slot] ?? null
      const outer = this.get(name)
      return (run) => {
        const of = run.slots[slot] ?? null
        return isMap(of) && Object.hasOwn(of, name) ? ownMember(of, name) : outer(run)
      }
    })
  }

  get(name: string): Evaluate {
    for (let names: Names | null = this; names; names = names.outer) {
      const found = names.find(name)
      if (found) return found
    }
    return (run) => ownMember(run.data, name)
  }
}

/** What a loop knows of where it is, by its index from 0 and the number of its items. */
const places: ReadonlyMap<string, (index: number, size: number) => Json> = new Map<string, (index: number, size: number) => Json>([
  ['count', (index) => index + 1],
  ['index', (index) => index],
  ['hasNext', (index, size) => index + 1 < size],
  ['isLast', (index, size) => index + 1 === size],
  ['isFirst', (index) => index === 0],
  ['odd', (index) => index % 2 === 0],
  ['isOdd', (index) => index % 2 === 0],
  ['even', (index) => index % 2 === 1],
  ['isEven', (index) => index % 2 === 1],
  ['indexParity', (index) => (index % 2 === 0 ? 'odd' : 'even')],
])
