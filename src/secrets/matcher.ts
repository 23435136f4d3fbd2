// Finds registered values in a text, in one pass over its letters: a small table of three-letter beginnings says where to look
// closer, so that ordinary text costs a few nanoseconds a letter however many values there are.
import { formsOf } from './forms.ts'

export type Matcher = {
  /** The value in all its forms. What is known already under another name keeps that name. */
  add(name: string, value: string): void
  /** The text with references in place of values; the same string when there are none. References to known names stay as they are. */
  replace(text: string): string
  /** Of a text that goes on: what is decided, replaced, and the rest, which may be the beginning of a value. */
  replaceSoFar(text: string): { readonly done: string; readonly rest: string }
}

type Needle = { readonly text: string; readonly reference: string }

const slots = 1 << 16

export function openMatcher(): Matcher {
  const names = new Set<string>()
  const known = new Set<string>()
  const marked = new Uint8Array(slots)
  const needles = new Map<number, Needle[]>()
  /** The first one, two and three letters of all that is looked for. */
  const beginnings = new Set<string>()
  let longest = '{{secret:'.length + 82

  function begin(text: string): void {
    for (const length of [1, 2, 3]) beginnings.add(text.slice(0, length))
  }

  function mark(text: string, reference: string): void {
    if (known.has(text)) return
    known.add(text)
    begin(text)
    longest = Math.max(longest, text.length)
    const slot = slotAt(text, 0)
    marked[slot] = 1
    const list = needles.get(slot) ?? []
    list.push({ text, reference })
    list.sort((a, b) => b.text.length - a.text.length)
    needles.set(slot, list)
  }

  /** The first place from there on at which something may begin; -1: none. Each letter is read once: all that is stored passes here. */
  function nextMarked(text: string, from: number): number {
    let before = text.charCodeAt(from)
    let last = text.charCodeAt(from + 1)
    for (let i = from + 2; i < text.length; i++) {
      const letter = text.charCodeAt(i)
      if (marked[slotOf(before, last, letter)] === 1) return i - 2
      before = last
      last = letter
    }
    return -1
  }

  /** What begins there: a value, or a reference to leave alone. */
  function at(text: string, i: number): Needle | null {
    if (text.startsWith('{{secret:', i)) {
      const [whole, name] = referenceAt(text, i)
      if (whole !== undefined && name !== undefined && names.has(name)) return { text: whole, reference: whole }
    }
    return needles.get(slotAt(text, i))?.find((needle) => text.startsWith(needle.text, i)) ?? null
  }

  /** Whether all that stands from there on is the beginning of something longer that is looked for. */
  function mayBegin(text: string, i: number): boolean {
    const left = text.length - i
    if (left >= longest || !beginnings.has(text.slice(i, i + 3))) return false
    const end = text.slice(i)
    if (left < 3 || mayRefer(end)) return true
    return needles.get(slotAt(text, i))?.some((needle) => needle.text.length > left && needle.text.startsWith(end)) ?? false
  }

  /** References stay as they are also where a value would begin inside of one. */
  function mayRefer(end: string): boolean {
    return end.startsWith('{{secret:') ? /^[a-z0-9_.:-]{0,80}\}?$/.test(end.slice(9)) : '{{secret:'.startsWith(end)
  }

  marked[slotAt('{{s', 0)] = 1
  begin('{{s')
  return {
    add(name, value) {
      names.add(name)
      for (const [text, form] of formsOf(value)) mark(text, referenceTo(name, form))
    },
    replace(text) {
      let out = ''
      let done = 0
      for (let i = nextMarked(text, 0); i >= 0; i = nextMarked(text, i)) {
        const found = at(text, i)
        if (found !== null) {
          out += text.slice(done, i) + found.reference
          done = i + found.text.length
        }
        i = found === null ? i + 1 : done
      }
      return done === 0 ? text : out + text.slice(done)
    },
    replaceSoFar(text) {
      let out = ''
      let done = 0
      for (let i = 0; i < text.length; i++) {
        if (mayBegin(text, i)) return { done: out + text.slice(done, i), rest: text.slice(i) }
        if (i + 2 >= text.length || marked[slotAt(text, i)] === 0) continue
        const found = at(text, i)
        if (found === null) continue
        out += text.slice(done, i) + found.reference
        i += found.text.length - 1
        done = i + 1
      }
      return { done: out + text.slice(done), rest: '' }
    },
  }
}

/** `matcher`: the present one; a value that becomes known in the middle is held back from then on. */
export function piecesOf(matcher: () => Matcher): { add(words: string): string; end(): string } {
  let rest = ''
  return {
    add(words) {
      const found = matcher().replaceSoFar(rest + words)
      rest = found.rest
      return found.done
    },
    end() {
      const last = matcher().replace(rest)
      rest = ''
      return last
    },
  }
}

export function referenceTo(name: string, form: string | null = null): string {
  return form === null ? `{{secret:${name}}}` : `{{secret:${name}:${form}}}`
}

const oneReference = /\{\{secret:([a-z][a-z0-9_.-]{0,63})(?::[a-z][a-z0-9-]{0,15})?\}\}/y

function referenceAt(text: string, i: number): readonly (string | undefined)[] {
  oneReference.lastIndex = i
  return oneReference.exec(text) ?? []
}

function slotAt(text: string, i: number): number {
  return slotOf(text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2))
}

function slotOf(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & (slots - 1)
}
