// The default mode over a small table of its own.
import { describe, expect, test } from 'vitest'
import { joinAnswer } from './clarify.ts'
import { compileCortex } from './compile.ts'
import type { CortexAnswer } from './cortex.ts'
import type { Member, RouteContext, RoutingTable, Signal } from './table.ts'

function who(name: string, more: Partial<Member>): Member {
  return {
    ...{ name, aliases: [], class: name, tier: 'standard', triggers: [], refuses: [], handsOff: [], isDefault: true, fallback: null },
    ...{ requiresHostTier: null, degradedMode: null, escalation: null },
    ...more,
  }
}

function signal(id: string, more: Partial<Signal>): Signal {
  return { ...{ id, match: [], boost: {}, stakes: false, onlyQuestions: false, notWithPath: false, byContext: null }, ...more }
}

const members: readonly Member[] = [
  who('atlas', {
    class: 'scout',
    triggers: ['map', 'trace', 'explore', 'audit', 'where is'],
    refuses: ['fix', 'commit'],
    handsOff: ['vivi'],
  }),
  who('ramza', { class: 'planner', triggers: ['plan', 'spec', 'design'], refuses: ['write the code'] }),
  who('vivi', { class: 'coder', triggers: ['fix', 'implement', 'build', 'refactor', 'add a'], refuses: ['greenfield'], fallback: 'apivr' }),
  who('apivr', { class: 'coder', triggers: ['fix', 'implement', 'build', 'refactor', 'add a'], isDefault: false }),
  who('idg', { class: 'scriber', triggers: ['document', 'runbook'], tier: 'light' }),
  who('forge', { class: 'reasoner', triggers: ['compare', 'should we'], refuses: ['implement'] }),
  who('vigil', { class: 'debugger', triggers: ['diagnose', 'flaky', 'why is'], tier: 'deep' }),
  who('kupo', { class: 'executor', triggers: ['rename the', 'fix the import'], refuses: ['design'], tier: 'light' }),
  who('gil', { class: 'generalist' }),
]
const signals: readonly Signal[] = [
  signal('stack', { match: ['stack trace'], boost: { vigil: 0.9 } }),
  signal('large', { match: ['entire monorepo'], boost: { atlas: 0.2 }, stakes: true }),
  signal('wide', { match: ['everywhere', 'all files'], boost: { 'class:coder': -0.4, 'class:executor': -0.4 } }),
  signal('asking', {
    match: ['the', 'a', 'we', 'is', 'does'],
    boost: { 'class:coder': -0.5, 'class:executor': -0.5 },
    onlyQuestions: true,
  }),
  signal('small', { match: ['import', 'rename'], boost: { kupo: 0.15 } }),
]
const table: RoutingTable = {
  ...{ version: '1', members, signals, classTiers: { default: 'standard' }, trance: { lead: 'deep', workers: 'light' } },
  templates: [{ name: 'decide-first', steps: ['forge', 'ramza', 'vivi'], classes: ['reasoner', 'coder'], when: 'a choice before work' }],
  thresholds: { tauStandard: 0.6, tauTrance: 0.8, chainFloor: 0.6, maxReroutes: 2, maxParallel: 5, surfaceFiles: 25, surfaceModules: 5 },
}
const cortex = compileCortex(table)

function ask(text: string, context: RouteContext = {}): CortexAnswer {
  return cortex.decide(text, context)
}
function told(text: string, context: RouteContext = {}): string {
  const { decision, selected } = ask(text, context)
  return [decision, ...selected].join(' ')
}

describe('forms of words', () => {
  test.each([
    ['implementing the retry logic', 'dispatch vivi'],
    ['the parser should be rebuilt and documented', 'dispatch idg'],
    ['a new parser needs to be built', 'dispatch vivi'],
    ['start refactoring the loader', 'dispatch vivi'],
    ['document the fix', 'dispatch idg'],
    ['write a fix for the login', 'dispatch vivi'],
    ['propose a refactor plan', 'dispatch ramza'],
    ['a spec for refactoring the loader', 'dispatch ramza'],
    ['login fix', 'dispatch vivi'],
    ['I fixed the login yesterday', 'leave'],
    ['got a stack trace in the worker', 'dispatch vigil'],
    ['trace `fix()` in the loader', 'dispatch atlas'],
  ])('[R11] %s: %s', (text, wanted) => expect(told(text)).toBe(wanted))

  test.each([
    ['Implementiere die Suche', 'dispatch vivi'],
    ['Behebe den Fehler', 'dispatch vivi'],
    ['Plane', 'dispatch ramza'],
    ['Erkläre, wo der Token geprüft wird', 'dispatch atlas'],
    ['Erklaere, wo der Token geprueft wird', 'dispatch atlas'],
    ['Vergleiche Redis und Kafka', 'dispatch forge'],
    ['Lege eine Datei für die Regeln an und dokumentiere sie', 'chain vivi idg'],
    ['Kannst du das Modul untersuchen und den Fehler beheben?', 'chain atlas vivi'],
    ['Baue eine Brücke um den alten Dienst', 'dispatch vivi'],
    ['Der Fehler muss behoben werden', 'dispatch vivi'],
    ['Ich habe den Fehler behoben', 'leave'],
    ['Untersuche das Modul, aber ändere nichts', 'dispatch atlas'],
    ['Fix the plane code', 'dispatch vivi'],
  ])('[R11] German: %s: %s', (text, wanted) => expect(told(text)).toBe(wanted))
})

describe('clauses', () => {
  test.each([
    ['any chance you could fix the parser?', 'dispatch vivi'],
    ["why don't you refactor the loader", 'dispatch vivi'],
    ['so fix the parser?', 'dispatch vivi'],
    ['What does the loader do? Then refactor it.', 'dispatch vivi'],
    ['should we use redis or kafka, then build it?', 'chain forge ramza vivi'],
    ['should we stop and refactor it?', 'dispatch forge'],
    ['why is the loader broken? fix it', 'chain vigil vivi'],
    ['did anyone fix the parser?', 'clarify'],
    ['tell me which files the job will fix', 'clarify'],
    ['fix the bug where the count is the wrong type', 'dispatch vivi'],
    ['do not fix anything, audit the parser', 'dispatch atlas'],
  ])('[R12] %s: %s', (text, wanted) => expect(told(text)).toBe(wanted))
})

describe('names', () => {
  test.each([
    ['ask FORGE', 'dispatch forge'],
    ['forge ahead', 'leave'],
    ["don't ask FORGE, fix it", 'dispatch vivi'],
    ['apivr, fix the parser', 'dispatch apivr'],
    ['fix it, Apivr', 'dispatch apivr'],
    ['Vivi, fix the import', 'dispatch vivi'],
    ['Vivi, plan and fix it', 'chain ramza vivi'],
    ['give this to idg', 'dispatch idg'],
    ['FORGE, fix the parser', 'dispatch forge'],
    ['document how atlas works', 'dispatch idg'],
  ])('[R13] %s: %s', (text, wanted) => expect(told(text)).toBe(wanted))
})

describe('refusals', () => {
  test('[R14] a member who is called and refuses leaves it to who is asked for, and that is told', () => {
    expect(told('Kupo, design the page')).toBe('refusal_reroute ramza')
    const answer = ask('ATLAS, map the module and fix it')
    expect([answer.decision, ...answer.selected]).toEqual(['chain', 'atlas', 'vivi'])
    expect(answer.marks).toMatchObject([{ mark: 'DECISION', text: expect.stringContaining('atlas') }])
    expect(answer.gates.find(({ id }) => id === 'R1')).toMatchObject({ holds: true, text: expect.stringContaining('"fix"') })
  })

  test('[R14] without anybody who has a score nobody gets it: the person is asked', () => {
    const answer = ask('Vivi, build a greenfield app from nothing')
    expect(answer).toMatchObject({ decision: 'refusal_reroute', selected: ['apivr'] })
    const alone = compileCortex({ ...table, members: members.filter(({ name }) => name !== 'apivr') })
    expect(alone.decide('Vivi, build a greenfield app')).toMatchObject({
      decision: 'clarify',
      selected: [],
      confidence: 0,
      marks: [{ mark: 'BLOCKED' }],
    })
    expect(told('audit the module and commit')).toBe('clarify')
  })

  test('[R14] a refused part that nobody takes is a gap of a chain, and takes no step away', () => {
    const answer = ask('audit the module, document it and commit it')
    expect(answer.selected).toEqual(['atlas', 'idg'])
    expect(answer.marks).toMatchObject([{ mark: 'GAP', text: expect.stringContaining('"commit"') }])
  })
})

describe('deep runs', () => {
  test('[R15] the token stands for one thing that is missing, never for both', () => {
    expect(ask('fix the parser', { tranceToken: true }).tier).toBe('standard')
    expect(ask('fix the parser', { tranceToken: true, surfaceFiles: 25 }).tier).toBe('standard')
    const deep = ask('fix the parser', { tranceToken: true, surfaceFiles: 26 })
    expect(deep).toMatchObject({ tier: 'trance', models: { lead: 'deep', workers: 'light' } })
    expect(deep.marks).toContainEqual({ mark: 'DECISION', text: expect.stringContaining('fifteen') })
  })

  test('[R15] size and stakes are two pieces of evidence; small work never runs deep', () => {
    expect(ask('map the entire monorepo').tier).toBe('standard')
    expect(ask('map the entire monorepo', { surfaceModules: 6 }).tier).toBe('trance')
    expect(ask('map the 60 files of production').tier).toBe('trance')
    expect(ask('rename the flag', { tranceToken: true, surfaceFiles: 99 }).tier).toBe('standard')
    const shy = compileCortex({ ...table, thresholds: { ...table.thresholds, tauTrance: 0.95 } })
    expect(shy.decide('fix the parser', { tranceToken: true, surfaceFiles: 26 }).tier).toBe('standard')
  })

  test('[R15] all gates are evaluated each time, each in a sentence', () => {
    const gates = (text: string) => ask(text).gates
    const ids = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'R1', 'R2', 'R3', 'R4', 'R5', 'C1', 'C2', 'C3', 'C4', 'C5', 'C6']
    for (const text of ['', 'hello', 'fix it', 'map it and fix it']) {
      expect(gates(text).map(({ id }) => id)).toEqual(ids)
      for (const gate of gates(text)) expect(gate.text).toMatch(/^[A-Z0-9"].*[.]$/s)
    }
    const holding = (text: string) => gates(text).flatMap(({ id, holds }) => (holds ? [id] : []))
    expect(holding('compare redis, kafka or nats for production')).toContain('G2')
    expect(holding('compare redis or kafka for production')).not.toContain('G2')
    expect(holding('build three independent endpoints')).toContain('G4')
    expect(holding('document six sources')).toContain('G5')
    expect(holding('diagnose it: maybe the cache, the clock or the queue')).toContain('G6')
  })
})

describe('questions', () => {
  test('[R16] one to three questions with answers to choose from, made of what is missing', () => {
    const { clarification, decision } = ask('do the thing')
    expect(decision).toBe('clarify')
    expect(clarification?.questions.length).toBe(2)
    for (const { options } of clarification?.questions ?? []) expect(options.length).toBeGreaterThanOrEqual(2)
    expect(ask('rename the helper throughout the project').clarification?.questions).toMatchObject([
      { options: ['kupo: makes the small change', 'No, just answer me'] },
      { text: expect.stringContaining('everything at once') },
      { text: expect.stringContaining('done') },
    ])
    expect(ask('Mach das Projekt besser').clarification?.questions[0]).toMatchObject({ text: 'Was soll dabei herauskommen?' })
  })

  test('[R16] every answer that is offered is understood, and there is no second round', () => {
    for (const text of ['do the thing', 'rename the helper everywhere', 'fix it but do not change anything', 'Mach es besser']) {
      const questions = ask(text).clarification?.questions ?? []
      expect(questions.length).toBeGreaterThan(0)
      for (const option of questions[0]?.options ?? []) {
        expect(['dispatch', 'chain', 'leave']).toContain(ask(joinAnswer(text, [option]), { answered: true }).decision)
      }
    }
    expect(told(joinAnswer('do the thing', ['Change files']), { answered: true })).toBe('dispatch vivi')
    expect(told(joinAnswer('do the thing', ['Only look, and tell me']), { answered: true })).toBe('dispatch atlas')
    expect(told(joinAnswer('fix it but do not change anything', ['Only look, and tell me']), { answered: true })).toBe('dispatch atlas')
    expect(told(joinAnswer('Mach es besser', ['Dateien ändern']), { answered: true })).toBe('dispatch vivi')
    expect(told(joinAnswer('did anyone fix it?', ['No, just answer me']), { answered: true })).toBe('leave')
  })
})

describe('doubts', () => {
  test('[R17] a change that is asked for and forbidden is marked and asked about; one thing that is forbidden is none', () => {
    expect(ask('fix the parser but do not change any code')).toMatchObject({ decision: 'clarify', marks: [{ mark: 'DISPUTED' }] })
    expect(told('fix the parser without changing the API')).toBe('dispatch vivi')
    expect(told('audit the parser without touching anything')).toBe('dispatch atlas')
  })

  test('[R17] what is no work on software is left to whoever leads, with a mark', () => {
    const answer = ask('we need to plan a trip to Rome')
    expect(answer).toMatchObject({ decision: 'leave', selected: [], confidence: 0, marks: [{ mark: 'DISPUTED' }] })
    expect(told('build a recipe app')).toBe('dispatch vivi')
    const guide = compileCortex({ ...table, members: [...members, who('guide', { class: 'travel', triggers: ['plan a trip'] })] })
    expect(guide.decide('plan a trip to Rome').selected).toEqual(['guide'])
  })

  test('[R17] a class that nobody has is a gap, and the rest is done', () => {
    const small = compileCortex({ ...table, members: members.filter(({ name }) => name !== 'vigil'), signals: [] })
    const answer = small.decide('diagnose the failure and fix it')
    expect(answer).toMatchObject({ decision: 'dispatch', selected: ['vivi'], marks: [{ mark: 'GAP' }] })
    expect(answer.gates.find(({ id }) => id === 'R5')).toMatchObject({ holds: true })
  })
})

describe('who is there', () => {
  test('[R18] nothing speaks for anybody: it is left; work that nobody knows is asked about; what is clear goes to the generalist', () => {
    for (const text of ['', '   ', 'hello', 'thanks!', 'thoughts?', '!!!']) expect(told(text)).toBe('leave')
    expect(told('take care of it')).toBe('clarify')
    expect(told('Create `scripts/backup.sh` that dumps the DB and exits 0 on success.')).toBe('dispatch gil')
  })

  test('[R18] only members of the table; a long text is looked at where it begins and ends', () => {
    expect(compileCortex({ ...table, members: [] }).decide('fix it and document it')).toMatchObject({ selected: [] })
    const answer = ask(`${'lorem ipsum '.repeat(20_000)} fix the parser`)
    expect(answer.selected).toEqual(['vivi'])
    expect(answer.looked).toBeLessThanOrEqual(6_000)
  })

  test('[R10] whoever needs another host leaves its seat to its fallback, unless it is named', () => {
    const needy = members.map((one) => (one.name === 'vivi' ? { ...one, requiresHostTier: 'thinking' } : one))
    const hosted = compileCortex({ ...table, members: needy })
    expect(hosted.decide('fix it').selected).toEqual(['apivr'])
    expect(hosted.decide('fix it', { hostTier: 'thinking' }).selected).toEqual(['vivi'])
    expect(hosted.decide('vivi, fix it').selected).toEqual(['vivi'])
  })
})
