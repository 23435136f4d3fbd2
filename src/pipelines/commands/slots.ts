// What a command is about: the name and the text that stand in its sentence.
import type { Act, Reading } from './reading.ts'
import { plainName, type Sentence, type Token } from './sentence.ts'
import { everything, namers, placers, plurals, small, type Thing, tellers, type Verb, verbs } from './vocabulary.ts'

export type Parts = {
  readonly verb: Verb
  readonly thing: Thing
  /** Between verb and thing. */
  readonly before: readonly Token[]
  /** The thing's own word. */
  readonly word: string
  readonly after: readonly Token[]
}

type Found = Partial<Reading> & { readonly act: Act }

const looks: Record<Exclude<Thing, 'project' | 'note'>, Act> = {
  ...{ agent: 'list_agents', session: 'list_sessions', waiting: 'list_waiting', status: 'status', model: 'models' },
  ...{ search: 'search', reminder: 'reminder' },
}

export function detail(sentence: Sentence, parts: Parts): Found {
  const { thing, verb } = parts
  if (thing === 'note') return noted(sentence, parts)
  if (thing === 'project') return { about: thing, ...projected(sentence, parts) }
  const isDeleting = verb === 'delete' || verb === 'archive'
  if (isDeleting && (thing === 'agent' || thing === 'session')) return { act: 'delete_what', about: thing }
  return { act: looks[thing], about: thing }
}

function projected(sentence: Sentence, parts: Parts): Found {
  const { verb, word, before, after } = parts
  const name = nameIn(sentence, parts, withoutPlace(sentence, after))
  if (verb === 'create' || verb === 'write') return { act: 'new_project', name }
  if (verb === 'show') return before.some(isNew) ? { act: 'new_project', name } : { act: 'list_projects' }
  return { act: 'archive_project', name: isOfMany(parts) || plurals.has(word) ? '' : name }
}

function noted(sentence: Sentence, parts: Parts): Found {
  const { verb, word, before } = parts
  const about = 'note'
  if (verb === 'create' || verb === 'write') return { about, act: 'new_note', ...nameAndText(sentence, parts) }
  const isMany = isOfMany(parts) || (plurals.has(word) && before.length === 0 && sentence.quoted.length === 0)
  const name = isMany ? '' : nameIn(sentence, parts, parts.after)
  if (verb === 'show') return name === '' ? { about, act: 'list_notes' } : { about, act: 'show_note', name }
  return { about, act: 'delete_note', name }
}

function isNew({ folded }: Token): boolean {
  return verbs.get(folded)?.value === 'create'
}

function isOfMany({ before, after, word }: Parts): boolean {
  return [...before, ...after.slice(0, 1)].some((one) => everything.has(one.folded)) && (plurals.has(word) || before.length > 0)
}

/** Quotes, what is called so, what stands before the thing, or after a colon. */
function nameIn({ quoted, body }: Sentence, { before, thing, word }: Parts, after: readonly Token[]): string {
  const own = (one: Token) => !small.has(one.folded) && !everything.has(one.folded) && !isNew(one)
  const named = quoted[0] ?? textOf(withoutNamer(withoutSaying(after)))
  if (named !== '') return named
  const ahead = plurals.has(word) && thing === 'note' ? [] : before.filter(own)
  return ahead.length > 0 ? textOf(ahead) : plainName(body)
}

/** In `note beans: water them`, `note "Green beans" "water them"`, `note beans saying water them`, `note beans, water them`. */
function nameAndText(sentence: Sentence, parts: Parts): { readonly name: string; readonly text: string } {
  const { quoted, body } = sentence
  const { after, verb } = parts
  const [first, second] = quoted
  if (body !== '') return { name: nameIn({ ...sentence, body: '' }, parts, after), text: body }
  if (first !== undefined && second !== undefined) return { name: first, text: second }
  const told = toldAt(after)
  if (told) {
    const name = textOf(withoutNamer(after.slice(0, told.at)))
    const text = textOf(after.slice(told.at + told.length))
    return {
      name: name || (text === '' ? '' : (first ?? '')),
      text: text || (first ?? ''),
    }
  }
  if (first === undefined && verb !== 'show' && after[0]?.folded === 'that') return { name: '', text: textOf(after.slice(1)) }
  return { name: nameIn(sentence, parts, after), text: '' }
}

function toldAt(after: readonly Token[]): { readonly at: number; readonly length: number } | null {
  for (const [at, token] of after.entries()) {
    const words = after.slice(at).map((one) => one.folded)
    const found = tellers.find((one) => one.every((word, place) => words[place] === word))
    if (found) return { at, length: found.length }
    if (/^[-–—]$/.test(token.raw) && at > 0) return { at, length: 1 }
    if (token.isLast && at < after.length - 1) return { at: at + 1, length: 0 }
  }
  return null
}

/** "what does the note beans say", "was in der Notiz Bohnen steht". */
function withoutSaying(after: readonly Token[]): readonly Token[] {
  return ['say', 'says', 'steht'].includes(after.at(-1)?.folded ?? '') ? after.slice(0, -1) : after
}

/** Words that only lead to a name; they are one when nothing follows. */
function withoutNamer(after: readonly Token[]): readonly Token[] {
  const words = after.map((one) => one.folded)
  const found = namers.find((one) => one.every((word, at) => words[at] === word))
  const rest = found === undefined ? after : after.slice(found.length)
  return rest.every((one) => small.has(one.folded)) && rest.length < 2 && found === undefined
    ? rest.filter((one) => !small.has(one.folded))
    : rest
}

/** Words that lead to a folder. */
function withoutPlace({ folder }: Sentence, after: readonly Token[]): readonly Token[] {
  let end = after.length
  if (folder !== '') while (end > 0 && placers.includes(after[end - 1]?.folded ?? '')) end--
  return after.slice(0, end)
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((one) => one.raw).join(' ')
}
