// A chain on the bench: a project with a folder, a route that the test chooses, and a model that plays each agent as the test says.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, type ScriptedReply, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { Route, RouteStep } from '../../src/routing/route.ts'
import type { Asked, Routing } from '../../src/routing/routing.ts'
import type { Document } from '../../src/scopes/scopes.ts'
import { type Bench, newWorld, type Options, openBench, type World } from './bench.ts'

/** What an agent answers: `at` counts from 1, over all that it was asked as that agent. `said`: all that it was given. */
export type Play = (asked: { readonly at: number; readonly said: string; readonly request: ScriptedRequest }) => string | ScriptedReply

export type Stage = {
  bench: Bench
  readonly world: World
  readonly model: ScriptedModel
  readonly root: string
  readonly plays: Map<string, Play>
  /** By agent: the requests that were made as it. */
  readonly asked: Map<string, ScriptedRequest[]>
  readonly routed: Asked[]
  route: Partial<Route>
  /** A session of the chain in the project. */
  session(): Promise<SessionId>
  /** Says it and waits for the end of that turn. */
  run(session: SessionId, text: string): Promise<Event>
  documents(): Promise<readonly Document[]>
  steps(): Promise<readonly Event['data'][]>
  /** Says yes to whatever is asked for, until the hub is closed. */
  approve(): void
  reopen(): Promise<void>
  close(): Promise<void>
}

export const step = (agent: string, more: Partial<RouteStep> = {}): RouteStep => ({
  ...{ agent, class: agent, tier: 'standard', edgeOrigin: 'composition', template: null },
  ...more,
})

/** A hand-over with those headings. */
export const report = (...sections: readonly string[]): string =>
  sections.map((name) => `## ${name}\n\n${name.toLowerCase()} of it, see src/a.ts:1.`).join('\n\n')

export const reports: Readonly<Record<string, string>> = {
  scout: report('Scope', 'Findings', 'Gaps'),
  planner: report('Goal', 'Steps', 'Acceptance', 'Open'),
  coder: report('Done', 'Checked', 'Left'),
  debugger: report('Symptom', 'Cause', 'Evidence', 'Mend'),
  reasoner: report('Question', 'Options', 'Verdict', 'Assumptions'),
  executor: report('Edit', 'Checked'),
  generalist: report('Result', 'Checked', 'Task', 'Reason'),
  scriber: '# The story\n\nAll is told here.',
}

const blank: Route = {
  ...{ decision: 'leave', by: 'cortex', selected: [], chain: [], tier: 'standard', models: null, confidence: 0.9, reasons: ['so it is'] },
  ...{ marks: [], clarification: null, scores: [], signals: [], template: null, gates: [], dropped: [], thresholds: {}, context: {} },
  ...{ looked: null, rosterVersion: '0', rulesVersion: '0' },
}

export function chainOf(...chain: readonly RouteStep[]): Partial<Route> {
  return { decision: 'chain', selected: chain.map(({ agent }) => agent), chain }
}

export async function openStage(more: Pick<Options, 'tools' | 'money' | 'priceOf'> = {}): Promise<Stage> {
  const world = newWorld()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'steward-chain-')))
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src', 'a.ts'), 'export const a = 1\n')
  const plays = new Map<string, Play>()
  const asked = new Map<string, ScriptedRequest[]>()
  const routed: Asked[] = []
  const model = await startScriptedModel({
    otherwise: (request) => {
      const system = JSON.stringify(request.body.messages?.[0] ?? '')
      const agent = (/You are (\w+)/.exec(system)?.[1] ?? '').toLowerCase()
      const all = [...(asked.get(agent) ?? []), request]
      asked.set(agent, all)
      const said = (request.body.messages ?? [])
        .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
        .join('\n')
      return plays.get(agent)?.({ at: all.length, said, request }) ?? reports[agent] ?? 'What?'
    },
  })
  const routing = (): Routing => ({
    route: async (given: Asked) => {
      routed.push(given)
      return { ...blank, ...stage.route }
    },
    mode: async () => 'hint',
    cortex: never,
    routeWith: () => blank,
    corrections: { propose: never, accept: never, list: async () => [], undo: async () => false },
    faults: async () => [],
    close: () => undefined,
  })
  const open = () => openBench({ url: model.url, world, routing, ...more })
  const stage: Stage = {
    ...{ bench: await open(), world, model, root, plays, asked, routed, route: {} },
    async session() {
      const { projects } = stage.bench.scopes
      if ((await projects.get('garden')) === null) await projects.create({ name: 'garden', title: 'Garden', roots: [root] }, 'user:ada')
      return stage.bench.session({ project: 'garden', agent: 'chain' })
    },
    async run(session, text) {
      const before = (await stage.bench.events('turn-settled')).filter((event) => event.session === session).length
      await stage.bench.say(session, text)
      return stage.bench.until('turn-settled', (event) => event.session === session, before + 1)
    },
    async documents() {
      await stage.bench.journal.passed(stage.bench.journal.head())
      return stage.bench.scopes.documents.list('handoffs/', { project: 'garden' })
    },
    steps: async () => (await stage.bench.events('chain-step')).map(({ data }) => data),
    approve() {
      const { bench } = stage
      const yes = async () => {
        for await (const batch of bench.journal.follow(bench.journal.head()))
          for (const event of batch)
            if (event.type === 'approval-requested') await bench.answer(event, { decision: 'allow', scope: 'once' })
      }
      void yes().catch(() => undefined)
    },
    async reopen() {
      await stage.bench.close({ keep: true })
      stage.bench = await open()
    },
    async close() {
      await stage.bench.close()
      await model.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return stage
}

async function never(): Promise<never> {
  throw new Error('nobody corrects here')
}
