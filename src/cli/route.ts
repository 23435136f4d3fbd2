// `steward route`: who should do something, and why; rules that were learned, corrections, undoing.

import { readFile, stat } from 'node:fs/promises'
import { messageOf } from '../base/errors.ts'
import {
  type RoutingProposal,
  type RoutingRule,
  routeView,
  routingProposal,
  routingRule,
  routingRules,
  strictRoute,
} from '../protocol/api-routing.ts'
import { standardInput } from './ask.ts'
import { chosen } from './chosen.ts'
import { findHub, nothing } from './hub.ts'
import { type Call, oneLine, type Result, table, WrongUsage } from './output.ts'
import { routeText, strictText } from './route-text.ts'
import { type Incoming, incomingIn } from './route-verify.ts'

export type RouteOptions = {
  readonly project?: string
  readonly strict?: boolean
  /** A file with a routing table from elsewhere. */
  readonly roster?: string
  /** An envelope's file that the text came with. */
  readonly verify?: string
  /** warn or block, with `verify`. */
  readonly mode?: string
  readonly files?: string
  readonly modules?: string
  readonly deep?: boolean
}

const largestRoster = 1_000_000

export async function route(call: Call, words: readonly string[], options: RouteOptions): Promise<Result> {
  const { project } = options
  const context = {
    ...(options.files === undefined ? {} : { surfaceFiles: wholeNumber('--files', options.files) }),
    ...(options.modules === undefined ? {} : { surfaceModules: wholeNumber('--modules', options.modules) }),
    ...(options.deep ? { tranceToken: true } : {}),
  }
  const roster = options.roster === undefined ? {} : { roster: await rosterIn(options.roster) }
  const incoming: Incoming = incomingIn(options)
  if ('refused' in incoming) return incoming.refused
  const hub = await findHub(call)
  const text = words.length === 1 && words[0] === '-' ? await standardInput() : words.join(' ')
  if (text.trim() === '') throw new WrongUsage('The text is empty; allowed is any text, or "-" to read it from standard input.')
  const body = { text, context, ...roster, ...incoming, ...(project === undefined ? {} : { project }) }
  if (options.strict) {
    const answer = await hub.call('POST', '/api/route', strictRoute, { body: { ...body, mode: 'strict', explain: true } })
    return { value: answer, text: strictText(answer) }
  }
  const answer = await hub.call('POST', '/api/route', routeView, { body })
  const { incomingVerify: seen, warnings = [] } = answer
  const envelope = seen === undefined ? [] : [`envelope ${seen.envelope}: ${seen.verdict} (${seen.mode})`]
  const odd = warnings.map((one) => `warning: ${one}`)
  return { value: answer, text: [routeText(answer), ...(envelope.length + odd.length > 0 ? [''] : []), ...envelope, ...odd].join('\n') }
}

type InProject = { readonly project?: string }

export async function listRules(call: Call, { project }: InProject): Promise<Result> {
  const hub = await findHub(call)
  const found = await hub.call('GET', '/api/route/rules', routingRules, { query: { project } })
  const rows = found.items.map((one) => [one.id, one.to, one.when.join(' + '), one.at.slice(0, 10), one.by])
  const rules = table(
    ['id', 'to', 'when all of it occurs', 'since', 'by'],
    rows,
    'No rules yet. Make one with: steward route correct TEXT --to AGENT',
  )
  const mode = `Routing is "${found.mode}": ${modes[found.mode]}.`
  return { value: found, text: [rules, mode, ...found.faults].join('\n\n') }
}

const modes = {
  hint: 'keywords and scores advise whoever leads the conversation',
  direct: 'keywords and scores decide alone',
}

export type CorrectOptions = {
  readonly to: string
  readonly project?: string
  /** The id of a message, instead of a text. */
  readonly message?: string
  readonly when?: readonly string[]
  readonly yes?: boolean
}

/** Shows what the rule would change; with `yes` it holds at once. */
export async function correct(call: Call, words: readonly string[], { to, project, message, when, yes }: CorrectOptions): Promise<Result> {
  const text = words.join(' ').trim()
  if ((text === '') === (message === undefined)) throw new WrongUsage('It needs a text or --message ID, and not both.')
  const hub = await findHub(call)
  const about = { ...(message === undefined ? { text } : { message }), ...(project === undefined ? {} : { project }) }
  const body = { to, ...about, ...(when === undefined ? {} : { when }) }
  const proposal = await hub.call('POST', '/api/route/proposals', routingProposal, { body })
  const shown = proposalText(proposal)
  if (!yes) {
    const way = `Make it a rule with: steward route accept ${proposal.id}`
    return { value: proposal, text: `${shown}\n\nNothing is changed yet. ${way}` }
  }
  const rule = await hub.call('POST', '/api/route/rules', routingRule, { body: { proposal: proposal.id } })
  return { value: { ...proposal, rule, accepted: true }, text: `${shown}\n\n${holds(rule, project)}` }
}

export async function accept(call: Call, proposal: string): Promise<Result> {
  const hub = await findHub(call)
  const rule = await hub.call('POST', '/api/route/rules', routingRule, { body: { proposal } })
  return { value: rule, text: holds(rule, undefined) }
}

export async function undo(call: Call, id: string, { project }: InProject): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/route/rules', routingRules, { query: { project } })
  const found = chosen(items, id, 'rule')
  await hub.call('DELETE', `/api/route/rules/${encodeURIComponent(found.id)}`, nothing, { query: { project } })
  return { value: { id: found.id, removed: true }, text: `Rule ${found.id} is taken back; it was: ${ruleText(found)}.` }
}

function proposalText({ rule, changes, looked }: RoutingProposal): string {
  const rows = changes.map((one) => [one.was ?? '-', one.would, oneLine(one.text, 80)])
  const of = looked === 1 ? 'the one message' : `the ${looked} messages`
  const none =
    looked === 0 ? 'You have sent no message here yet that it could change.' : `None of ${of} that you sent here would go elsewhere.`
  const changed = table(['was', 'would be', 'message'], rows, none)
  return `A rule: ${ruleText(rule)}.\n\n${rows.length === 0 ? changed : `Of ${of} that you sent here it would change:\n${changed}`}`
}

function ruleText({ when, to }: RoutingRule): string {
  return `texts with ${when.map((phrase) => JSON.stringify(phrase)).join(' and ')} go to ${to}`
}

function holds(rule: RoutingRule, project: string | undefined): string {
  return `The rule ${rule.id} holds. Take it back with: steward route undo ${rule.id}${project === undefined ? '' : ` --project ${project}`}`
}

/** The text of a file; what is in it checks the hub. */
async function rosterIn(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size <= largestRoster) return await readFile(file, 'utf8')
  } catch (thrown) {
    throw new WrongUsage(`--roster: ${file} can't be read: ${messageOf(thrown)}`)
  }
  throw new WrongUsage(`--roster: ${file} is larger than ${largestRoster} bytes.`)
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new WrongUsage(`${option} is "${text}"; allowed is a whole number, 0 or more.`)
}
