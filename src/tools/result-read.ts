// Reads on in an answer that was too long for once.
import { z } from 'zod'
import type { Results } from './results.ts'
import { defineTool, done, refused, type Tool } from './tool.ts'

export function resultRead(results: Results): Tool {
  return defineTool({
    name: 'result_read',
    description: 'Reads on in a tool result that was cut. Takes the reference given there, and the character to start from.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({
      ref: z.string().describe('The reference in the cut result'),
      from: z.int().min(0).default(0).describe('First character, from 0'),
      characters: z.int().min(1).max(25_000).default(20_000),
    }),
    async run({ ref, from, characters }, { process }) {
      const kept = await results.read(process.session, ref)
      if (kept === null) return refused('not_found', `There is no result "${ref.slice(0, 64)}" in this session.`)
      const { text, taint } = kept
      if (from >= text.length) return refused('invalid', `That result has ${text.length} characters; "from" must be less.`)
      const end = Math.min(text.length, from + characters)
      const rest = end < text.length ? `more follows from ${end}` : 'that is the end'
      return done(`${text.slice(from, end)}\n[characters ${from} to ${end} of ${text.length}; ${rest}]`, { taint })
    },
  })
}
