/**
 * The line by which an agent tells that a worker of its asks for a yes. Approvals have a card where they are decided: while it stands,
 * a screen shows the card alone; the line stays in the conversation for what comes later. Pure; it runs in the browser.
 */
import { headline } from './asks-elsewhere.ts'
import type { ApprovalBrief } from './shapes.ts'

type Asked = Pick<ApprovalBrief, 'text' | 'why' | 'consequences'>
type Asker = { readonly agent: string; readonly title: string }

const mostAsked = 400
const where = 'Answer in the card below or with `steward approvals`.'

/** `asked` is the headline. No id stands in it. */
export function relayLine({ agent, title }: Asker, asked: string): string {
  const name = `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
  return `${name}${title === '' ? '' : ` in ${title}`}${tailOf(asked)}`
}

/** Whether the line only tells of one of these approvals. */
export function isRelayOf(line: { readonly role: string; readonly text: string }, approvals: readonly Asked[]): boolean {
  return line.role === 'assistant' && approvals.some((one) => line.text.endsWith(tailOf(headline(one))))
}

/** Whether the line tells of an approval at all. */
export function isRelayLine(text: string): boolean {
  return text.endsWith(` ${where}`) && text.includes(' asks: ')
}

function tailOf(asked: string): string {
  const short = asked.length > mostAsked ? `${asked.slice(0, mostAsked).toWellFormed()}...` : asked
  return ` asks: ${short} ${where}`
}
