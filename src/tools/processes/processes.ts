// The processes family: the workers that a process made. It sees and stops its own, and no others.
import { z } from 'zod'
import { type EntryId, laneOf, type ProcessId } from '../../base/ids.ts'
import type { Lanes } from '../../lanes/lanes.ts'
import type { Taint } from '../../policy/decision.ts'
import { fenced } from '../fence.ts'
import { guarded } from '../guarded.ts'
import { defineTool, done, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'

/** A worker as who ordered it knows it. */
export type OwnWorker = {
  readonly worker: ProcessId
  readonly session: string
  readonly project: string
  readonly agent: string
  readonly title: string
}
export type ProcessRooms = {
  /** Of that process, the newest first. */
  readonly workers: (owner: ProcessId) => Promise<readonly OwnWorker[]>
  /** The last that a worker reported; null: nothing yet. Its words come from another agent. */
  readonly lastReport?: (
    owner: ProcessId,
    worker: ProcessId,
  ) => Promise<{ readonly type: string; readonly text: string; readonly taint: Taint } | null>
  readonly lanes: Pick<Lanes, 'look' | 'post'>
  readonly newId: (kind: 'ent') => EntryId
  /** At least 16 fresh random characters. */
  readonly newWord: () => string
}

const mostListed = 50
const worker = z.string().describe('Its id, or its title, as process_list names them')

export function processTools(rooms: ProcessRooms): readonly Tool[] {
  return [list(rooms), status(rooms), stop(rooms)]
}

const reading = { labels: ['read-only', 'process'], capability: 'processes.read', effect: 'replayable' } as const

function list(rooms: ProcessRooms): Tool {
  return defineTool({
    ...reading,
    name: 'process_list',
    description: 'Names the workers that you made, and what each is doing.',
    input: z.strictObject({}),
    run: (_, { process }) =>
      guarded(async () => {
        const all = (await rooms.workers(process.id)).slice(0, mostListed)
        if (all.length === 0) return done('You have made no workers.')
        return done((await Promise.all(all.map((one) => lineOf(rooms, one)))).join('\n'))
      }),
  })
}

function status(rooms: ProcessRooms): Tool {
  return defineTool({
    ...reading,
    name: 'process_status',
    description: 'Tells what a worker of yours is doing at this moment, what waits for it, and what it last reported.',
    input: z.strictObject({ process: worker }),
    run: ({ process: named }, context) =>
      guarded(async () => {
        const found = await own(rooms, context, named)
        if ('ok' in found) return found
        const view = await rooms.lanes.look(found.worker)
        const steps = (view?.turn?.steps ?? []).filter((one) => one.state === 'started').map((one) => one.name)
        const lines = [
          await lineOf(rooms, found),
          ...(steps.length > 0 ? [`at work on: ${steps.join(', ')}`] : []),
          `waiting for it: ${view?.queue.length ?? 0}`,
        ]
        const report = (await rooms.lastReport?.(context.process.id, found.worker)) ?? null
        if (report === null) return done(lines.join('\n'))
        const text = report.text.slice(0, 10_000).toWellFormed()
        const said = report.taint === 'foreign' ? fenced({ source: `the worker ${found.worker}`, text }, rooms.newWord()) : text
        return done([...lines, `last report (${report.type}):`, said].join('\n'), { taint: report.taint })
      }),
  })
}

function stop(rooms: ProcessRooms): Tool {
  return defineTool({
    name: 'process_stop',
    description: 'Stops what a worker of yours is doing. What it did stays; it can be given new work.',
    labels: ['executive', 'process'],
    capability: 'processes.stop',
    effect: 'idempotent',
    risk: 'R1',
    input: z.strictObject({ process: worker, reason: z.string().max(200).default('it is no longer wanted') }),
    plan: async ({ process: named, reason }) => ({
      target: `process:${named.slice(0, 100)}`,
      risk: 'R1',
      outward: false,
      destructive: false,
      consequences: `The worker ${named.slice(0, 100)} stops: ${reason}.`,
    }),
    run: ({ process: named, reason }, context) =>
      guarded(async () => {
        const found = await own(rooms, context, named)
        if ('ok' in found) return found
        const view = await rooms.lanes.look(found.worker)
        if (!view?.turn) return done(`${found.worker} is not at work (${view?.status ?? 'gone'}).`)
        const body = { kind: 'stop', turn: view.turn.id, reason } as const
        await rooms.lanes.post({ lane: laneOf(found.worker), id: rooms.newId('ent'), from: `process:${context.process.id}`, body })
        return done(`${found.worker} was told to stop.`)
      }),
  })
}

async function own(rooms: ProcessRooms, { process }: ToolContext, named: string): Promise<OwnWorker | Outcome> {
  const all = await rooms.workers(process.id)
  const found = all.find((one) => one.worker === named) ?? all.find((one) => one.title === named)
  if (found) return found
  const names = all.slice(0, 20).map((one) => `${one.worker} (${one.title})`)
  return refused('not_found', `You have no worker ${JSON.stringify(named.slice(0, 100))}; yours are: ${names.join(', ') || 'none'}.`)
}

async function lineOf({ lanes }: ProcessRooms, { worker: id, project, agent, title }: OwnWorker): Promise<string> {
  const view = await lanes.look(id)
  return `${id}: ${JSON.stringify(title)}, ${agent} in ${project}, ${view?.status ?? 'gone'}`
}
