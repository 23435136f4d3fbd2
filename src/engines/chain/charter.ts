// What a class of agents may do in a chain, and what it must hand over. Data; an agent's own file says more about its artifact.
import { intersect } from '../../policy/capability.ts'

export type Charter = {
  /** It may change the project: it needs the project for itself. */
  readonly writes: boolean
  /** How often it is asked before somebody else is: each time it is told why the time before failed. */
  readonly tries: number
  /** Who is asked then, once. `instead`: its hand-over counts as the step's. `helps`: the step is done once more, with that. */
  readonly escalation: { readonly to: string; readonly how: 'instead' | 'helps' } | null
  /** Of its hand-over, where the agent's file says nothing. */
  readonly artifact: Artifact
}

export type Artifact = { readonly kind: string; readonly sections: readonly string[] }

/** All that a reading class may hold, whatever its file says. */
const reading: readonly string[] = [
  ...['fs.read', 'web.read', 'exec.read', 'documents.read', 'projects.read', 'processes.read', 'memory.read'],
  ...['vault.read', 'insights.read', 'rules.read'],
]

/** Executors change two files at most; more than that they propose. */
export const mostFilesOfExecutor = 2

const reader = { writes: false, tries: 1, escalation: null }
const charters: Readonly<Record<string, Charter>> = {
  scout: { ...reader, artifact: { kind: 'scout-report', sections: ['Scope', 'Findings', 'Gaps'] } },
  planner: { ...reader, artifact: { kind: 'spec', sections: ['Goal', 'Steps', 'Acceptance', 'Open'] } },
  reasoner: { ...reader, artifact: { kind: 'reasoning-report', sections: ['Question', 'Options', 'Verdict', 'Assumptions'] } },
  reviewer: { ...reader, artifact: { kind: 'review', sections: ['Verdict', 'Findings'] } },
  debugger: { ...reader, artifact: { kind: 'root-cause-report', sections: ['Symptom', 'Cause', 'Evidence', 'Mend'] } },
  generalist: {
    ...reader,
    escalation: { to: 'coder', how: 'instead' },
    artifact: { kind: 'edit-proposal', sections: ['Result', 'Checked'] },
  },
  coder: {
    writes: true,
    tries: 3,
    escalation: { to: 'debugger', how: 'helps' },
    artifact: { kind: 'completion-report', sections: ['Done', 'Checked', 'Left'] },
  },
  executor: {
    writes: true,
    tries: 1,
    escalation: { to: 'coder', how: 'instead' },
    artifact: { kind: 'edit-proposal', sections: ['Edit', 'Checked'] },
  },
  scriber: { writes: true, tries: 1, escalation: null, artifact: { kind: 'document', sections: [] } },
}

/** A class that nobody knows only reads. */
export function charterOf(kind: string): Charter {
  const known = Object.hasOwn(charters, kind) ? charters[kind] : undefined
  return known ?? { ...reader, artifact: { kind: 'report', sections: [] } }
}

/** What only reads, whatever its class. */
export function readingOf(held: readonly string[]): readonly string[] {
  return intersect(held, reading)
}

/** What a worker of that class may hold of `held`. Its own file narrows it once more. */
export function boundOf(kind: string, held: readonly string[]): readonly string[] {
  return charterOf(kind).writes ? held : readingOf(held)
}
