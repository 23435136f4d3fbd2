// Why an agent answers: a small word in the head of its answer that opens to the reasons.
import { type Routed, routedLine } from '../../src/protocol/routed.ts'
import type { View } from '../../src/protocol/view.ts'
import { el } from './dom.ts'
import { words } from './words.ts'

/** Answers whose reasons are open: they stay so when their line is drawn again. */
const open = new Set<string>()

/** Of the turn that said the line, when something spoke for somebody; nobody needs a reason for a plain answer. */
export function routesOf({ routes }: View, turn: string | undefined): readonly Routed[] {
  return turn === undefined ? [] : routes.filter((one) => one.turn === turn && one.by !== null)
}

/** null: there is nothing to tell. */
export function whyNode(line: string, routes: readonly Routed[]): HTMLElement | null {
  if (routes.length === 0) return null
  const told = routes.flatMap((one) => [el('p', { dir: 'auto' }, routedLine(one)), reasonList(one)])
  const head = el('summary', { 'data-focus': `why ${line}` }, words.whyThis)
  const node = el('details', { class: 'why' }, head, ...told)
  node.toggleAttribute('open', open.has(line))
  node.addEventListener('toggle', () => (node.hasAttribute('open') ? open.add(line) : open.delete(line)))
  return node
}

function reasonList({ reasons }: Routed): HTMLElement {
  return el('ul', {}, ...reasons.map((reason) => el('li', { dir: 'auto' }, reason)))
}
