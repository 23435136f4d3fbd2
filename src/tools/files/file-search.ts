// Where something stands in the project's files, or which files have a name.
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { isSecret } from '../../policy/sensitive.ts'
import { defineTool, done, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'
import { binaryKind } from './file-read.ts'
import { type Glob, globOf } from './glob.ts'
import { type Matcher, patternMatcher, textMatcher } from './matcher.ts'
import { findPlace, isSeen, lookAt, movedSince, openPlace, type Place, realView, shownAs, type View } from './place.ts'
import { type LeftOut, leftOutWords, walk } from './walk.ts'

const mostHits = 100
const mostPerFile = 20
const mostFiles = 20_000
const largest = 2 * 1024 * 1024
const patternBudgetMs = 3000
/** Files that are read side by side. */
const atOnce = 16

const input = z.strictObject({
  text: z.string().max(500).optional().describe('Plain text to look for; upper and lower case are the same unless matchCase'),
  pattern: z.string().max(500).optional().describe('Instead of text: a regular expression (JavaScript), matched line by line'),
  path: z.string().optional().describe('Folder or file to look in; the whole project when left out'),
  glob: z.string().optional().describe('Only files with such names: *.ts, docs/**/*.md, *.{yml,yaml}'),
  matchCase: z.boolean().default(false),
})
type Input = z.infer<typeof input>

export const fileSearch: Tool = defineTool({
  name: 'file_search',
  description:
    'Searches the files of the project for a text or a pattern and answers with path:line: content. With only a glob it answers ' +
    `with the names of the files. At most ${mostHits} hits. Hidden, generated, binary and very large files are left out.`,
  labels: ['read-only', 'files'],
  capability: 'fs.read',
  effect: 'replayable',
  needsRoots: true,
  taint: 'content',
  input,
  plan: ({ path }, context) => lookAt(path, context),
  async run(given, context) {
    const glob = given.glob === undefined ? () => true : globOf(given.glob)
    if (glob === null) return refused('invalid', 'The glob is too long or has too many alternatives.')
    if (given.text !== undefined && given.pattern !== undefined) return refused('invalid', 'Give either text or pattern, not both.')
    if (given.text === undefined && given.pattern === undefined && given.glob === undefined) {
      return refused('invalid', 'Say what to look for: text, pattern, or a glob for names alone.')
    }
    const starts = await startsOf(given.path, context)
    if ('why' in starts) return refused(starts.code, starts.why)
    const matcher = matcherOf(given)
    if (matcher instanceof Error)
      return refused('invalid', `The pattern is no regular expression: ${messageOf(matcher)}. Allowed are those of JavaScript.`)
    try {
      return await search({ starts, glob, matcher, context, given })
    } finally {
      await matcher?.close()
    }
  },
})

type Search = {
  readonly starts: readonly Place[]
  readonly glob: Glob
  readonly matcher: Matcher | null
  readonly context: ToolContext
  readonly given: Input
}
type Tally = {
  hits: string[]
  read: string[]
  files: number
  matchedFiles: number
  skipped: number
  secret: number
  isCut: boolean
  leftOut: LeftOut
}
type Candidate = Pick<Place, 'real' | 'shown'>

async function search(search: Search): Promise<Outcome> {
  const tally: Tally = {
    hits: [],
    read: [],
    files: 0,
    matchedFiles: 0,
    skipped: 0,
    secret: 0,
    isCut: false,
    leftOut: { hidden: 0, unreadable: 0, crowded: 0 },
  }
  const there = await realView(search.context)
  for await (const some of batches(candidates(search, there, tally), atOnce)) {
    const slow = await searchBatch(search, { some, there }, tally)
    if (slow) return tooSlow(search, slow)
    tally.isCut ||= tally.hits.length >= mostHits || tally.files >= mostFiles
    if (tally.isCut) break
  }
  search.context.signal.throwIfAborted()
  return done(report(search, tally), { read: tally.read })
}

type Batch = { readonly some: readonly Candidate[]; readonly there: View }

/** Reads the files side by side and matches them in order. Answers the file at which the pattern took too long. */
async function searchBatch({ matcher }: Search, { some, there }: Batch, tally: Tally): Promise<Candidate | null> {
  tally.files += some.length
  if (matcher === null) {
    tally.hits.push(...some.map((one) => one.shown))
    return null
  }
  const texts = await Promise.all(some.map((one) => textOf(one, there)))
  for (const [at, one] of some.entries()) {
    const text = texts[at] ?? null
    if (text === null) tally.skipped++
    else if (!(await matchFile(matcher, { ...one, text }, tally))) return one
  }
  return null
}

/** False when the pattern took too long. */
async function matchFile(matcher: Matcher, file: Candidate & { readonly text: string }, tally: Tally): Promise<boolean> {
  const left = mostHits - tally.hits.length
  if (left <= 0) return true
  const found = await matcher.match(file.text, Math.min(mostPerFile, left))
  if (found === null) return false
  if (found.length > 0) {
    tally.matchedFiles++
    tally.read.push(file.real)
  }
  for (const hit of found) tally.hits.push(`${file.shown}:${hit.line}: ${hit.text}`)
  if (found.length === mostPerFile) tally.hits.push(`${file.shown}: [more hits in this file may follow]`)
  return true
}

/** null for binary, large and unreadable files. */
async function textOf(one: Candidate, there: View): Promise<string | null> {
  const file = await openPlace(one, there)
  if ('why' in file) return null
  try {
    const { size } = await file.stat()
    if (size > largest) return null
    const bytes = Buffer.allocUnsafe(size + 1)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    const content = bytes.subarray(0, bytesRead)
    return binaryKind(content.subarray(0, 8192)) ? null : content.toString('utf8')
  } catch {
    return null
  } finally {
    await file.close()
  }
}

/** A walk follows no link, so what it finds lies inside; opening checks it again all the same. */
async function* candidates({ starts, glob, matcher, context }: Search, there: View, tally: Tally): AsyncGenerator<Candidate> {
  for (const start of starts) {
    if (start.kind === 'file') yield start
    else {
      for await (const found of walk(
        { start: start.real, depth: 64, signal: context.signal, isSeen: (real) => isSeen(real, there) },
        tally.leftOut,
      )) {
        if (found.kind !== 'file' || !glob(found.path)) continue
        // Their names are no secret; who wants to look into one names it, and is judged by it.
        if (matcher !== null && isSecret(found.real)) tally.secret++
        else yield { real: found.real, shown: shownAs(found.real, there.roots) }
      }
    }
  }
}

async function* batches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let some: T[] = []
  for await (const one of source) {
    some.push(one)
    if (some.length < size) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

async function startsOf(path: string | undefined, context: ToolContext) {
  if (path !== undefined) {
    const place = await findPlace(path, context)
    return 'real' in place ? (movedSince(place, context.binding) ?? [place]) : place
  }
  const places = await Promise.all((await realView(context)).roots.map((root) => findPlace(root, context)))
  const there = places.filter((place) => 'real' in place)
  return there.length > 0 ? there : findMissing(context)
}

async function findMissing(context: ToolContext) {
  const place = await findPlace('.', context)
  return 'why' in place ? place : [place]
}

function matcherOf({ text, pattern, matchCase }: Input): Matcher | null | Error {
  if (text !== undefined) return textMatcher(text, matchCase)
  if (pattern === undefined) return null
  try {
    return patternMatcher(pattern, { matchCase, budgetMs: patternBudgetMs })
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}

function tooSlow({ given }: Search, place: Candidate): Outcome {
  return refused(
    'too_slow',
    `The pattern ${JSON.stringify(given.pattern)} took more than ${patternBudgetMs / 1000} seconds (at ${place.shown}) and was given up. ` +
      'Use a simpler pattern without nested repetition, or text.',
  )
}

function report({ given, matcher }: Search, tally: Tally): string {
  const what = JSON.stringify(given.text ?? given.pattern ?? given.glob ?? '')
  const where = matcher === null ? '' : ` in ${tally.matchedFiles} of ${tally.files} files`
  const head = tally.hits.length === 0 ? `Nothing found for ${what} (${tally.files} files looked at).` : `${what}${where}:`
  const notes = [
    tally.isCut ? `stopped after ${tally.hits.length} hits and ${tally.files} files: name a path or a glob to look further` : '',
    tally.skipped > 0 ? `${tally.skipped} binary or large files (over ${largest} bytes) not searched` : '',
    tally.secret > 0 ? `${tally.secret} files that may hold keys or passwords not searched: name one as path to look into it` : '',
    leftOutWords(tally.leftOut),
  ].filter((text) => text !== '')
  return [head, ...tally.hits, ...notes.map((note) => `[${note}]`)].join('\n')
}
