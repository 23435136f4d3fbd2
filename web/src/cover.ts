// What stands there instead of the conversations while nobody is signed in.

import { el, keep } from './dom.ts'
import { type State, secondsToTry } from './state.ts'
import { words } from './words.ts'

export function makeCover(): { readonly node: HTMLElement; draw(state: State, now: number): void } {
  const box = el('div', {})
  const node = el('main', { class: 'cover' }, box)
  return {
    node,
    draw(state, now) {
      const seconds = secondsToTry(state, now)
      if (state.phase === 'signed-out')
        keep(box, [{ key: 'out', sign: `${state.codeRefused} ${state.left}`, make: () => signedOut(state) }])
      else if (seconds === null) keep(box, [])
      else keep(box, [{ key: 'unreachable', sign: String(seconds), make: () => unreachable(seconds) }])
    },
  }
}

function signedOut({ codeRefused, left }: State): HTMLElement {
  return el(
    'div',
    {},
    el('h1', {}, words.signedOut),
    codeRefused && el('p', {}, words.codeUsed),
    el('p', {}, words.signedOutMore),
    el('p', {}, el('code', { dir: 'ltr' }, words.signInCommand)),
    left && el('p', {}, words.signedOutKept),
  )
}

function unreachable(seconds: number): HTMLElement {
  return el('div', {}, el('h1', {}, words.unreachable), el('p', { role: 'status' }, words.nextTry(seconds)))
}
