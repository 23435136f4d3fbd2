// Making elements, and keeping those whose content didn't change. Text only ever becomes text nodes (W9).

type Value = string | number | boolean | null | undefined
export type Props = {
  readonly on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void }
  readonly [attribute: string]: Value | object
}
export type Child = Node | string | null | undefined | false

/** An element with attributes (true: present, false/null: absent), listeners under `on`, and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on' || value === null || value === undefined || value === false) continue
    node.setAttribute(name, value === true ? '' : String(value))
  }
  for (const [type, hear] of Object.entries(props.on ?? {})) {
    if (typeof hear === 'function') node.addEventListener(type, hear as EventListener)
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false))
  return node
}

/** Something that stands in a list: made again only when `sign` changes, otherwise kept and, where given, brought up to date. */
export type Piece = {
  readonly key: string
  readonly sign: string
  readonly make: () => HTMLElement
  readonly update?: (node: HTMLElement) => void
}

type Kept = { readonly sign: string; readonly node: HTMLElement }
const lists = new WeakMap<HTMLElement, Map<string, Kept>>()

/** Makes the children of `parent` be those pieces, in that order. Focus stays on what has the same `data-focus`. */
export function keep(parent: HTMLElement, pieces: readonly Piece[]): void {
  const before = lists.get(parent) ?? new Map<string, Kept>()
  const after = new Map<string, Kept>()
  const focused = focusWithin(parent)
  for (const piece of pieces) {
    const known = before.get(piece.key)
    const node = known && known.sign === piece.sign ? known.node : piece.make()
    piece.update?.(node)
    after.set(piece.key, { sign: piece.sign, node })
  }
  const nodes = new Set([...after.values()].map((kept) => kept.node))
  for (const child of [...parent.children]) if (!(child instanceof HTMLElement && nodes.has(child))) child.remove()
  place(parent, [...nodes])
  lists.set(parent, after)
  if (focused) restoreFocus(parent, focused)
}

function place(parent: HTMLElement, nodes: readonly HTMLElement[]): void {
  let next: Element | null = parent.firstElementChild
  for (const node of nodes) {
    if (node === next) next = next.nextElementSibling
    else parent.insertBefore(node, next)
  }
}

type Focused = { readonly element: Element; readonly name: string | null }

function focusWithin(parent: HTMLElement): Focused | null {
  const element = document.activeElement
  if (!element || element === parent || !parent.contains(element)) return null
  return { element, name: element.getAttribute('data-focus') }
}

function restoreFocus(parent: HTMLElement, { element, name }: Focused): void {
  if (document.activeElement === element) return
  const same = name === null ? null : parent.querySelector(`[data-focus="${CSS.escape(name)}"]`)
  const next = same ?? (element.isConnected ? element : (lastLine(parent, element) ?? document.querySelector('[data-focus="composer"]')))
  if (next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/** Words that were being written become a line with an id of its own: who read them there goes on there. */
function lastLine(parent: HTMLElement, gone: Element): Element | null {
  return gone.hasAttribute('data-line') ? ([...parent.querySelectorAll('[data-line]')].at(-1) ?? null) : null
}

/** A change of text that doesn't touch the document when nothing changed. */
export function say(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text
}
