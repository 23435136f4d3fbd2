// What is in a folder.
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { defineTool, done, refused, type Tool, type ToolContext } from '../tool.ts'
import { findPlace, isSeen as isVisible, lookAt, realView, showName } from './place.ts'
import { type Found, type LeftOut, leftOutWords, walk } from './walk.ts'

const mostLines = 500

export const fileList: Tool = defineTool({
  name: 'file_list',
  description:
    'Lists a folder of the project: files with their size in bytes, folders with a / at the end. Hidden and generated folders ' +
    `(.git, node_modules, dist) are left out unless named as the path. At most ${mostLines} lines.`,
  labels: ['read-only', 'files'],
  capability: 'fs.read',
  effect: 'replayable',
  needsRoots: true,
  taint: 'content',
  input: z.strictObject({
    path: z.string().optional().describe('Relative to the project folder; the folder itself when left out'),
    depth: z.int().min(1).max(8).default(1).describe('How many levels deep; 1: only what lies directly in it'),
  }),
  plan: ({ path }, context) => lookAt(path, context),
  async run({ path, depth }, context) {
    const real = (await realView(context)).roots
    // Several folders and none named: they are the answer.
    if (path === undefined && real.length > 1)
      return done(`The project has ${real.length} folders:\n${real.map((one) => `${one}/`).join('\n')}`)
    const place = await findPlace(path ?? '.', context)
    if (!('real' in place)) return refused(place.code, place.why)
    if (place.kind === 'file') return done(`${place.shown} is a file of ${place.size} bytes.`)
    return done(await list(place.real, { shown: place.shown, depth, context }))
  },
})

type Listing = { readonly shown: string; readonly depth: number; readonly context: ToolContext }

async function list(start: string, { shown, depth, context }: Listing): Promise<string> {
  const view = await realView(context)
  const isSeen = (real: string) => isVisible(real, view)
  const leftOut: LeftOut = { hidden: 0, unreadable: 0, crowded: 0 }
  const lines: string[] = []
  let isCut = false
  for await (const found of walk({ start, depth, signal: context.signal, isSeen }, leftOut)) {
    if (lines.length >= mostLines) {
      isCut = true
      break
    }
    lines.push(await lineOf(found))
  }
  const notes = [isCut ? `cut at ${mostLines} lines: list a folder in it, or less deep` : '', leftOutWords(leftOut)].filter(
    (text) => text !== '',
  )
  const head = lines.length === 0 ? `${shown} is empty` : `${shown}:`
  return [head, ...lines, ...notes.map((note) => `[${note}]`)].join('\n')
}

async function lineOf({ path, real, kind }: Found): Promise<string> {
  const name = showName(path)
  if (kind === 'folder') return `${name}/`
  if (kind === 'link') return `${name} (link)`
  if (kind === 'special') return `${name} (device, pipe or socket)`
  const size = await stat(real).then(
    (stats) => stats.size,
    () => null,
  )
  return size === null ? name : `${name}  ${size}`
}
