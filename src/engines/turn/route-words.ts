// What a person is told of the way of their message, in the language of that message: English or German, as the questions of routing.
import type { Language } from '../../routing/clarify.ts'

export type Told = {
  /** `why`: not the person's own word; null when it was. */
  has(title: string, why: string | null): string
  readonly rule: string
  failed(title: string, why: string): string
  would(title: string, why: string): string
  readonly untouched: string
  kept(what: string, title: string, now: boolean): string
  undo(rule: string): string
  refused(why: string): string
  /** `past`: how many messages were looked at, and how many of them would have gone elsewhere. */
  question(what: string, title: string, past: { readonly looked: number; readonly changed: number }): string
  readonly keep: string
  went(agent: string): string
  more(count: number): string
  readonly and: string
}

export const told: Readonly<Record<Language, Told>> = {
  en: {
    has: (title, why) => `${title} has it${inBrackets(why)}.`,
    rule: 'by a rule of yours',
    failed: (title, why) => `It could not be given to ${title}: ${why}`,
    would: (title, why) => `${title} would have got this${why === '' ? '.' : `: ${why}`}`,
    untouched: 'I leave it as it is: no rule was made.',
    kept: (what, title, now) => `Kept${now ? '' : ' from the next message on'}: what says ${what} goes to ${title}.`,
    undo: (rule) => `Undo: steward route undo ${rule}`,
    refused: (why) => `No rule was made: ${why}`,
    question: (what, title, { looked, changed }) =>
      `From now on, what says ${what} would go to ${title}.${looked === 0 ? '' : ` Of your last ${looked} messages here, this would have changed ${changed}${changed === 0 ? '.' : ':'}`}`,
    keep: 'Keep this rule?',
    went: (agent) => ` (went to ${agent})`,
    more: (count) => `and ${count} more`,
    and: ' and ',
  },
  de: {
    has: (title, why) => `${title} hat es${inBrackets(why)}.`,
    rule: 'nach deiner Regel',
    failed: (title, why) => `Es konnte nicht an ${title} gegeben werden: ${why}`,
    would: (title, why) => `${title} hätte das bekommen${why === '' ? '.' : `: ${why}`}`,
    untouched: 'Ich lasse es, wie es ist: Es gibt keine Regel.',
    kept: (what, title, now) => `Behalten${now ? '' : ', ab der nächsten Nachricht'}: Was ${what} enthält, geht an ${title}.`,
    undo: (rule) => `Zurücknehmen: steward route undo ${rule}`,
    refused: (why) => `Es wurde keine Regel gemacht: ${why}`,
    question: (what, title, { looked, changed }) =>
      `Von jetzt an ginge an ${title}, was ${what} enthält.${looked === 0 ? '' : ` Von deinen letzten ${looked} Nachrichten hier hätte das ${changed} geändert${changed === 0 ? '.' : ':'}`}`,
    keep: 'Soll die Regel gelten?',
    went: (agent) => ` (ging an ${agent})`,
    more: (count) => `und ${count} mehr`,
    and: ' und ',
  },
}

/** Who got it is said already: of "scout does it: ..." only what speaks for scout is told. */
export function shortWhy({ why, agents }: { readonly why: string; readonly agents: readonly string[] }): string {
  const head = `${agents[0] ?? ''} does it: `
  return why.startsWith(head) ? why.slice(head.length) : why
}

function inBrackets(why: string | null): string {
  return why === null || why === '' ? '' : ` (${why.replace(/[.\s]+$/, '')})`
}
