// Where a table's phrases occur in a text, and whose they are. One pass over the text for all members and signals together.
import { openPhrases, type PhraseOptions } from './phrases.ts'
import type { RoutingTable } from './table.ts'

/** By position in the table: members and signals of which something occurs, with the phrases in the table's order. */
export type Hits = {
  readonly triggers: ReadonlyMap<number, readonly string[]>
  readonly refusals: ReadonlyMap<number, readonly string[]>
  readonly named: ReadonlySet<number>
  readonly signals: ReadonlyMap<number, readonly string[]>
}

export type Lexicon = {
  /** Linear in the text. A phrase that stands twice in one list is there twice. */
  look(text: string): Hits
}

type Kind = 'trigger' | 'refusal' | 'name' | 'signal'
type Use = { readonly kind: Kind; readonly owner: number }

/** `aliases`: a member is named by any of its names. */
export function openLexicon(table: RoutingTable, options: PhraseOptions & { readonly aliases?: boolean } = {}): Lexicon {
  const { texts, uses } = usesOf(table, options.aliases ?? false)
  const { in: find } = openPhrases(texts, options)
  return {
    look(text) {
      const hits = { trigger: new Map<number, string[]>(), refusal: new Map<number, string[]>(), signal: new Map<number, string[]>() }
      const named = new Set<number>()
      for (const index of [...find(text)].sort((a, b) => a - b)) {
        for (const { kind, owner } of uses[index] ?? []) {
          if (kind === 'name') named.add(owner)
          else add(hits[kind], owner, texts[index] ?? '')
        }
      }
      return { triggers: hits.trigger, refusals: hits.refusal, named, signals: hits.signal }
    },
  }
}

/** Each text once, with all who use it. */
function usesOf({ members, signals }: RoutingTable, withAliases: boolean): { texts: readonly string[]; uses: readonly (readonly Use[])[] } {
  const byText = new Map<string, Use[]>()
  const put = (kind: Kind, owner: number, texts: readonly string[]): void => {
    for (const text of texts) {
      const already = byText.get(text)
      if (already === undefined) byText.set(text, [{ kind, owner }])
      else already.push({ kind, owner })
    }
  }
  for (const [owner, { name, aliases, triggers, refuses }] of members.entries()) {
    put('name', owner, withAliases ? [name, ...aliases] : [name])
    put('trigger', owner, triggers)
    put('refusal', owner, refuses)
  }
  for (const [owner, { match }] of signals.entries()) put('signal', owner, match)
  return { texts: [...byText.keys()], uses: [...byText.values()] }
}

function add(to: Map<number, string[]>, owner: number, text: string): void {
  const already = to.get(owner)
  if (already === undefined) to.set(owner, [text])
  else already.push(text)
}
