// States that last, above the composer: what happened, what was kept, the one next step. One at a time, the gravest first.

import { el, keep, type Piece } from './dom.ts'
import { type IconName, icon } from './icons.ts'
import { isOffline, type State, secondsToTry } from './state.ts'
import { sentence, words } from './words.ts'

export type BarActs = { readonly tryNow: () => void; readonly reload: (session: string | null) => void }

export function makeBars(acts: BarActs, now: () => number): { readonly node: HTMLElement; draw(state: State): void } {
  const node = el('div', {})
  return { node, draw: (state) => keep(node, pieces(state, acts, now())) }
}

function pieces(state: State, acts: BarActs, now: number): readonly Piece[] {
  const { view } = state
  if (isOffline(state)) {
    const seconds = secondsToTry(state, now) ?? 0
    const more = `${words.unreachableMore} ${seconds > 0 ? words.nextTry(seconds) : words.tryingNow}`
    return [bar('attn', 'offline', words.unreachable, more, { label: words.tryNow, click: acts.tryNow })]
  }
  if (state.unable !== null) {
    const more = words.unableMore(sentence(state.unable))
    return [bar('attn', 'unknown', words.unable, more, { label: words.tryNow, click: acts.tryNow })]
  }
  if (state.failure !== null) {
    const again = { label: words.retry, click: () => acts.reload(state.current) }
    return [bar('danger', 'failed', words.loadFailed, words.loadFailedMore(sentence(state.failure)), again)]
  }
  if (view?.closed) return [bar('', 'done', words.closed, words.closedMore, null)]
  if (view?.suspended) return [bar('', 'paused', words.suspended, words.suspendedMore, null)]
  if (!state.lasting) return [bar('attn', 'unknown', words.notLasting, '', null)]
  return []
}

type Next = { readonly label: string; readonly click: () => void }

/** Only its words change from second to second, so that the button keeps its focus. */
function bar(kind: string, picture: IconName, head: string, more: string, next: Next | null): Piece {
  const button = () => next && el('button', { type: 'button', class: 'plain', 'data-focus': 'bar', on: { click: next.click } }, next.label)
  const make = () => el('div', { class: `bar ${kind}` }, icon(picture, 'big'), el('p', {}), button())
  const update = (node: HTMLElement) => {
    const text = node.querySelector('p')
    if (text && text.textContent !== `${head} ${more}`) text.replaceChildren(el('strong', {}, head), ` ${more}`)
  }
  return { key: `bar ${head}`, sign: kind, make, update }
}
