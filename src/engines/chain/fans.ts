// Work of a deep run that is thought or looked through side by side, by class: which gate opens it, how the lead names its parts, what
// each part is told, and what the lead makes of them. What is built side by side is in deep.ts. Data and pure pieces.
import type { Plan } from './order.ts'
import type { Story } from './stories.ts'

export type Fan = {
  readonly gate: string
  /** Below it the lead names the parts, or what is to be chosen from. */
  readonly heading: string
  readonly most: number
  /** Of the lead, before. */
  readonly naming: string
  /** Each decides the same question, and the votes are counted. Otherwise each has a part of its own. */
  readonly isVote: boolean
  /** Of each part. */
  readonly part: string
  /** Of the lead, after. */
  readonly together: string
}

const fans: Readonly<Record<string, Fan>> = {
  scout: {
    ...{ gate: 'G1', heading: 'Areas', most: 20, isVote: false },
    naming:
      'Look only so far that you can say into which areas it falls: a module, a package, a folder. Each is looked through by somebody of its own.',
    part: 'You look through one area of it, while others look through the rest. Stay in your area; what leads out of it you name as a gap.',
    together:
      'Bring what they found together into one report: what holds for all of it first, contradictions with both places, and every gap.',
  },
  reasoner: {
    ...{ gate: 'G2', heading: 'Options', most: 7, isVote: true },
    naming: 'Do not decide yet. Name what can be chosen from, each by a short name that can be told from the others.',
    part: 'Several decide this question, each alone. Only think: change nothing and try nothing out.',
    together: 'Hand over one report. It gives the strongest reason for the verdict, the strongest against it, and what would turn it.',
  },
  scriber: {
    ...{ gate: 'G5', heading: 'Sections', most: 20, isVote: false },
    naming: 'Write nothing yet. Name the sections that the text needs, and for each which sources it is made of.',
    part: 'You write one section of it, while others write the rest. Hand over the text of your section and nothing else; write it into no file.',
    together: 'Make one text of the sections: one voice, nothing said twice, no seam. Write it where it belongs, once.',
  },
  debugger: {
    ...{ gate: 'G6', heading: 'Hypotheses', most: 5, isVote: false },
    naming: 'Do not test anything yet. Name the causes that could explain it, and for each what would be seen if it were not the one.',
    part: 'You test one possible cause, while others test the rest. Look, run what changes nothing, and say: confirmed, ruled out, or open, and what shows it.',
    together: 'Decide which cause it is. What was tested counts, not how well it sounds; what stays open is said.',
  },
}

/** null: the step is one worker's, since its class has no such work or its gate does not hold. */
export function fanOf({ tier, gates }: Plan, kind: string): Fan | null {
  const fan = Object.hasOwn(fans, kind) ? fans[kind] : undefined
  return fan && tier === 'trance' && gates.some(({ id, holds }) => id === fan.gate && holds) ? fan : null
}

const usualTraces = 3

/** How many are set to work on `items` parts or options. */
export function sidesOf({ gates }: Plan, { gate, isVote }: Fan, items: number): number {
  return isVote ? (gates.find(({ id }) => id === gate)?.count ?? usualTraces) : items
}

export function namingTask({ naming, heading, most }: Fan): string {
  return `${naming} List them below "## ${heading}", at least two and at most ${most}, one list item each: "- name: what it is". Change nothing.`
}

export function partTask({ part, isVote }: Fan, { items, at }: { readonly items: readonly Story[]; readonly at: number }): string {
  if (!isVote) return `${part} Yours is: "${items[at]?.text ?? ''}".`
  const list = items.map(({ text }) => `- ${text}`).join('\n')
  return `${part} Choose one of these:\n${list}\nBegin your hand-over with "DECIDE:" and the name of that one exactly as it stands before its colon.`
}

// ---- votes

export type Vote = {
  readonly of: number
  /** In the order in which they were named. */
  readonly votes: readonly { readonly name: string; readonly count: number }[]
  /** null: no option has the share that is needed. */
  readonly chosen: string | null
}

/** A majority that is no consensus decides nothing. */
export const consensusShare = 0.6

/** `ballots`: what each said; null: it could not. A ballot that names none or several of the options counts for none of them. */
export function voteOf(names: readonly string[], ballots: readonly (string | null)[]): Vote {
  const given = ballots.map((ballot) => (ballot === null ? null : meantBy(ballot, names)))
  const votes = names.map((name) => ({ name, count: given.filter((one) => one === name).length }))
  const chosen = votes.find(({ count }) => count > 0 && count / ballots.length >= consensusShare)
  return { of: ballots.length, votes, chosen: chosen?.name ?? null }
}

function meantBy(ballot: string, names: readonly string[]): string | null {
  const said = ` ${plain(ballot)} `
  const exact = names.find((name) => plain(name) === said.trim())
  if (exact !== undefined) return exact
  const held = names.filter((name) => plain(name) !== '' && said.includes(` ${plain(name)} `))
  // "queue" is no second option beside "durable queue".
  const longest = held.filter((name) => !held.some((other) => other !== name && ` ${plain(other)} `.includes(` ${plain(name)} `)))
  return longest.length === 1 ? (longest[0] ?? null) : null
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

export function voteText({ of, votes, chosen }: Vote): string {
  const counts = votes.flatMap(({ name, count }) => (count > 0 ? [`"${name}" ${count}`] : []))
  const open = of - votes.reduce((sum, { count }) => sum + count, 0)
  const list = [...counts, ...(open > 0 ? [`none of them ${open}`] : [])].join(', ')
  const count = votes.find(({ name }) => name === chosen)?.count ?? 0
  if (chosen === null) return `No consensus of ${of} traces, for which ${consensusShare * 100} % are needed: ${list}.`
  return `Consensus: "${chosen}" with ${count} of ${of} traces (${Math.round((count / of) * 100)} %): ${list}.`
}
