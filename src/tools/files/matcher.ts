// Finds the lines of a text that match. Plain text is searched here. A regular expression runs in a worker thread that is ended
// when it takes too long: a hostile pattern can neither stop the hub nor slow it. Its time is real time, as the thread is real.
import { Worker } from 'node:worker_threads'

export type Matched = {
  /** From 1. */
  readonly line: number
  /** At most 300 characters round the match. */
  readonly text: string
}
export type Matcher = {
  /** The first `limit` matching lines. null: the pattern took too long, and the matcher is of no more use. */
  match(text: string, limit: number): Promise<readonly Matched[] | null>
  close(): Promise<void>
}

/** Lines that hold the text. */
export function textMatcher(wanted: string, matchCase: boolean): Matcher {
  const fold = (text: string) => (matchCase ? text : text.toLowerCase())
  const needle = fold(wanted)
  return {
    async match(text, limit) {
      // Most files hold nothing: one look at the whole before it is cut into lines.
      if (!fold(text).includes(needle)) return []
      return linesWith(text, limit, (line) => fold(line).indexOf(needle))
    },
    close: async () => {},
  }
}

function linesWith(text: string, limit: number, find: (line: string) => number): readonly Matched[] {
  const found: Matched[] = []
  for (const [at, line] of text.split('\n').entries()) {
    const place = find(line)
    if (place >= 0) found.push({ line: at + 1, text: around(line, place) })
    if (found.length >= limit) break
  }
  return found
}

function around(line: string, place: number): string {
  const from = line.length <= 300 ? 0 : Math.max(0, place - 100)
  return line
    .slice(from, from + 300)
    .toWellFormed()
    .replace(/\r$/, '')
}

/** The worker's program. It is given texts and answers with places; it shares nothing with the hub. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const expression = new RegExp(workerData.source, workerData.flags)
parentPort.on('message', ({ text, limit }) => {
  const found = []
  const lines = text.split('\\n')
  for (let at = 0; at < lines.length && found.length < limit; at++) {
    const match = expression.exec(lines[at].slice(0, 10000))
    if (match) found.push([at, match.index])
  }
  parentPort.postMessage(found)
})
`

/** Throws SyntaxError for what is no regular expression. `budgetMs` is for all texts together. */
export function patternMatcher(source: string, options: { readonly matchCase: boolean; readonly budgetMs: number }): Matcher {
  const flags = flagsFor(source, options.matchCase ? '' : 'i')
  const worker = new Worker(program, { eval: true, workerData: { source, flags }, resourceLimits: { maxOldGenerationSizeMb: 64 }, env: {} })
  worker.unref()
  type Places = readonly (readonly [number, number])[] | null
  let left = options.budgetMs
  let isOver = false
  let hear: (found: Places) => void = () => {}
  worker.on('message', (found: Places) => hear(found))
  worker.on('error', () => hear(null))
  worker.on('exit', () => hear(null))
  const ask = (text: string, limit: number) =>
    new Promise<Places>((resolve) => {
      const started = performance.now()
      const timer = setTimeout(() => hear(null), Math.max(1, left))
      hear = (found) => {
        clearTimeout(timer)
        hear = () => {}
        left -= performance.now() - started
        isOver ||= found === null
        resolve(found)
      }
      worker.postMessage({ text, limit })
    })
  return {
    async match(text, limit) {
      const found = isOver ? null : await ask(text, limit)
      if (found === null) return null
      const lines = text.split('\n')
      return found.map(([at, place]) => ({ line: at + 1, text: around(lines[at] ?? '', place) }))
    },
    close: async () => void (await worker.terminate()),
  }
}

/** Unicode where the expression allows it; models also write escapes that only the older syntax takes. */
function flagsFor(source: string, base: string): string {
  try {
    new RegExp(source, `${base}u`)
    return `${base}u`
  } catch {
    new RegExp(source, base)
    return base
  }
}
