// Who is called by name. A name that is also a word of the language counts only where somebody is plainly called or it is written in capitals.
import { isVerbish } from './clauses.ts'
import type { Scene } from './evidence.ts'
import { negators } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import { gapEnd, gapNone, kindPlain } from './words.ts'

export type Called = {
  /** Numbers of members who are asked to do it. */
  readonly addressed: ReadonlySet<number>
  /** And of those who are named at all. */
  readonly named: ReadonlySet<number>
}

type Name = { readonly at: number; readonly to: number; readonly ordinary: boolean }

/** `answered`: the text ends with answers, where a name stands for its member. */
export function calledIn(scene: Scene): Called {
  const { words } = scene
  const addressed = new Set<number>()
  const named = new Set<number>()
  for (let at = 0; at < words.count; at += 1) {
    if (words.kind[at] !== kindPlain) continue
    for (const { to, member, ordinary } of namesAt(scene, at)) {
      const calls = isCalled(scene, { at, to, ordinary })
      if (calls) addressed.add(member)
      if (calls || !ordinary || words.shape[at] === 2) named.add(member)
    }
  }
  return { addressed, named }
}

/** However many names begin with the word, each length of them is looked up once. */
function namesAt({ words, prepared }: Scene, at: number): readonly (Omit<Name, 'at'> & { readonly member: number })[] {
  const names = prepared.names.get(words.word[at] ?? '')
  if (names === undefined) return []
  return [...names.lengths].flatMap((length) => {
    const to = at + length
    return (names.by.get(words.word.slice(at, to).join(' ')) ?? []).map((one) => ({ ...one, to }))
  })
}

function isCalled(scene: Scene, name: Name): boolean {
  const { words } = scene
  if (words.at[name.at] === true) return true
  const before = words.word[name.at - 1] ?? ''
  if (words.gap[name.at] === gapNone && callers.has(before)) return !isForbidden(scene, name.at - 1)
  if (opensSentence(scene, name.at) && opens(scene, name)) return true
  if (!standsOut(scene, name)) return false
  if (words.gap[name.at] === gapNone && handers.has(before)) return !isForbidden(scene, name.at - 1) && hands(scene, name.at)
  return closes(scene, name)
}

/** "Vivi, ...", "forge: ..."; without a sign only where it can't be a word, and an order follows. */
function opens(scene: Scene, { at, to, ordinary }: Name): boolean {
  const { words, prepared } = scene
  const sign = words.after[to - 1] ?? ''
  if (sign === ':') return true
  const begins = prepared.begins(words.word[at] ?? '')
  if (sign === ',') return !begins || words.shape[at] === 2
  if (to >= words.count || words.gap[to] !== gapNone || (ordinary && words.shape[at] !== 2)) return false
  const next = words.word[to] ?? ''
  return isVerbish(next, prepared.begins) || requests.has(next)
}

function opensSentence({ words, clauses, clauseOf }: Scene, at: number): boolean {
  if (words.gap[at] !== gapNone) return true
  const from = clauses[clauseOf[at] ?? 0]?.from ?? 0
  for (let index = from; index < at; index += 1) if (!greetings.has(words.word[index] ?? '')) return false
  return true
}

/** "fix it, Vivi." */
function closes({ words }: Scene, { at, to }: Name): boolean {
  return at > 0 && words.gap[at] !== gapNone && words.gap[at] !== gapEnd && (to >= words.count || words.gap[to] === gapEnd)
}

/** No word of the language, or written as a name. */
function standsOut({ words }: Scene, { at, ordinary }: Name): boolean {
  return !ordinary || words.shape[at] === 2 || (words.shape[at] === 1 && words.gap[at] !== gapEnd)
}

/** Before "to", "with", "by" there is something that is given or done. */
function hands({ words, clauses, clauseOf }: Scene, at: number): boolean {
  const from = Math.max(clauses[clauseOf[at] ?? 0]?.from ?? 0, at - 6)
  if ((words.word[at - 1] ?? '') === 'use' || (words.word[at - 1] ?? '') === 'using') return true
  for (let index = from; index < at - 1; index += 1) if (givers.has(words.word[index] ?? '')) return true
  return false
}

function isForbidden({ words }: Scene, at: number): boolean {
  return negators.has(words.word[at - 1] ?? '') || negators.has(words.word[at - 2] ?? '')
}

const callers = wordSet('ask asking tell ping let have hey frag frage lass lasse bitte hallo hi hello')
const handers = wordSet('to with by use using via from an mit von durch nutze')
const givers = wordSet(
  'give hand pass send assign delegate route forward done handled take leave job work gib uebergib schick leite ueberlass erledigen delegiere',
)
const greetings = wordSet('hey hi hello dear ok okay so please bitte hallo and then now und dann')
const requests = wordSet('please can could would will should bitte kannst koenntest wuerdest')
