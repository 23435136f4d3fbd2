// Whether a run is a deep one, and the gates, refusal rules and cost rules of such runs (reference/eidolons.md 1.11): each is evaluated and
// told in a sentence, whether it applies or not.
import type { Gate } from './route.ts'
import type { Situation } from './situation.ts'
import type { RoutingTable } from './table.ts'

export type Judged = {
  readonly situation: Situation
  readonly table: RoutingTable
  /** Classes of the route, in their order. */
  readonly classes: readonly string[]
  /** Of the best member of the route, uncapped. */
  readonly score: number
  /** What is refused and by whom, as sentences. */
  readonly refusals: readonly string[]
  /** What nobody here can do, as sentences. */
  readonly gaps: readonly string[]
  /** Two readings stand against each other. */
  readonly disputed: boolean
}

export type Deep = { readonly deep: boolean; readonly why: string }

/** Complexity and stakes, each by evidence of its own: the person's token stands for the one that is not there otherwise, never for both. */
export function deepOf({ situation, table, classes, score }: Judged): Deep {
  const { large, stakes, token } = situation
  const { tauTrance } = table.thresholds
  if (classes.length === 0) return { deep: false, why: 'Nobody is chosen, so there is nothing to run deep.' }
  if (classes.every((kind) => kind === 'executor' || kind === 'generalist')) {
    return { deep: false, why: `Work of the class ${classes[0]} is always a standard run.` }
  }
  const evidence = [large ? 'its surface is large' : null, stakes === null ? null : `"${stakes}" says that much depends on it`]
  const found = evidence.filter((one) => one !== null)
  if (found.length + (token && found.length === 1 ? 1 : 0) < 2) {
    const only = found[0] ?? (token ? 'a deep run is asked for' : null)
    return {
      deep: false,
      why: `A standard run: ${only === null ? 'nothing speaks' : `only one thing speaks (${only})`} for a deep one, and two are needed.`,
    }
  }
  if (score < tauTrance) return { deep: false, why: `A standard run: the score ${score} is under ${tauTrance}, which a deep one needs.` }
  return { deep: true, why: `A deep run: ${[...found, ...(token ? ['it is asked for'] : [])].join(', and ')}.` }
}

export function gatesOf(judged: Judged, deep: Deep): readonly Gate[] {
  return [...openings(judged), ...refusals(judged, deep), ...costs(judged, deep)]
}

/** Of a hard decision. */
const traces = { usual: 3, highStakes: 5 }
const least = { alternatives: 3, complexity: 7, hypotheses: 2, sources: 5 }

function openings({ situation: its, classes, table, disputed }: Judged): readonly Gate[] {
  const { surfaceFiles, surfaceModules } = table.thresholds
  const risky = its.stakes !== null || its.token
  const has = (kind: string) => classes.includes(kind)
  return [
    gate(
      'G1',
      has('scout') && its.large,
      `${its.files} files and ${its.modules} modules are named; a scout is sent to each module above ${surfaceFiles} or ${surfaceModules}.`,
    ),
    gate(
      'G2',
      has('reasoner') && its.alternatives >= least.alternatives && risky,
      `${its.alternatives} alternatives are named${risky ? ' and much depends on it' : ''}; ${least.alternatives} and high stakes make several traces and a vote.`,
      its.stakes === null ? traces.usual : traces.highStakes,
    ),
    gate(
      'G3',
      has('planner') && its.complexity >= least.complexity && (its.stakes !== null || disputed),
      `The work has ${its.complexity} of 12 points of complexity; ${least.complexity} and high stakes or two readings make a plan that is reviewed, three times at most.`,
    ),
    gate(
      'G4',
      has('coder') && its.stories > 1,
      `${its.stories} independent ${its.stories === 1 ? 'piece' : 'pieces'} of work ${its.stories === 1 ? 'is' : 'are'} seen; more than one can be built side by side within the budget.`,
    ),
    gate(
      'G5',
      has('scriber') && its.sources >= least.sources && !its.inOrder,
      `${its.sources} sources are named${its.inOrder ? ', in an order' : ''}; ${least.sources} without an order are written section by section, with one revision.`,
    ),
    gate(
      'G6',
      has('debugger') && its.hypotheses >= least.hypotheses,
      `${its.hypotheses} possible causes are named; ${least.hypotheses} are tested side by side, with five interventions in all.`,
    ),
  ]
}

function refusals({ refusals: refused, classes, gaps }: Judged, { deep }: Deep): readonly Gate[] {
  return [
    gate(
      'R1',
      refused.length > 0,
      refused.length > 0 ? `What is refused stays refused: ${refused.join(' ')}` : 'Nobody of the route refuses any of it.',
    ),
    gate('R2', deep && classes.includes('reasoner'), 'Several traces of a reasoner only think; they change nothing.'),
    gate('R3', deep, 'Branches share the tries that each member has; there are no more of them.'),
    gate('R4', deep, 'Reflection stops at three rounds of a plan, one revision of a text, three failures of the same kind in code.'),
    gate('R5', gaps.length > 0, gaps.length > 0 ? gaps.join(' ') : 'Nobody who is needed is missing.'),
  ]
}

function costs({ situation: its, table }: Judged, { deep, why }: Deep): readonly Gate[] {
  const { maxParallel, surfaceFiles, surfaceModules } = table.thresholds
  const branches = Math.max(1, its.modules, its.stories, its.hypotheses)
  const { trance } = table
  return [
    gate(
      'C1',
      deep && branches > maxParallel,
      `${branches} ${branches === 1 ? 'branch is' : 'branches are'} possible, at most ${maxParallel} run at a time${branches > maxParallel ? ', the others in batches' : ''}.`,
    ),
    gate(
      'C2',
      deep && trance !== null,
      trance === null
        ? 'The table has no tiers for deep runs.'
        : `In a deep run the lead has the tier ${trance.lead}, workers have ${trance.workers}.`,
    ),
    gate('C3', false, 'No limit of time is given with the text.'),
    gate(
      'C4',
      deep,
      deep
        ? 'A deep run may cost five to fifteen times a standard one; the cost is shown before.'
        : 'A standard run needs no word on its cost.',
    ),
    gate('C5', its.large, `The surface is ${its.large ? '' : 'not '}over ${surfaceFiles} files or ${surfaceModules} modules.`),
    gate('C6', deep, why),
  ]
}

function gate(id: string, holds: boolean, text: string, count?: number): Gate {
  return { id, holds, text, ...(count === undefined ? {} : { count }) }
}
