// What the keys do outside single controls (UI guide, section 8). No key approves or sends anything by itself, Esc never stops work.

import type { Composer } from './composer.ts'
import type { Drawer } from './drawer.ts'
import type { Talk } from './talk.ts'

export type KeyNeeds = {
  readonly talk: () => Talk
  readonly composer: Composer
  readonly drawer: Drawer
  readonly shell: HTMLElement
  readonly reader: HTMLElement
}

export function listenToKeys(needs: KeyNeeds): void {
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || !needs.shell.isConnected) return
    const act = actOf(event, needs)
    if (act === null) return
    event.preventDefault()
    act()
  })
}

function actOf(event: KeyboardEvent, { talk, composer, drawer, shell, reader }: KeyNeeds): (() => void) | null {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.key === 'F6') return () => nextRegion(shell, event.shiftKey ? -1 : 1)
  if (event.key === 'Escape') return () => void drawer.close()
  if (isCommand && event.key === '.') return () => void talk().steer('stop')
  if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'b') return () => drawer.toggle()
  if (isCommand && event.shiftKey && event.key.toLowerCase() === 'o')
    return () => {
      void talk().open(null)
      composer.focus()
    }
  const isText = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement
  if (event.altKey && !isText && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
    return () => nextLine(reader, event.key === 'ArrowUp' ? -1 : 1)
  return null
}

function nextRegion(shell: HTMLElement, by: 1 | -1): void {
  const regions = [...shell.querySelectorAll<HTMLElement>('[data-region]')].filter((region) => !region.inert && region.checkVisibility())
  const at = regions.findIndex((region) => region.contains(document.activeElement))
  const region = regions[(at + by + regions.length) % regions.length]
  const target = region?.querySelector<HTMLElement>('textarea, button:not([aria-disabled]), [tabindex]') ?? region
  target?.focus()
}

function nextLine(reader: HTMLElement, by: 1 | -1): void {
  const lines = [...reader.querySelectorAll<HTMLElement>('[data-line]')]
  const at = lines.findIndex((line) => line.contains(document.activeElement))
  const next = at < 0 ? lines.at(-1) : lines[Math.min(lines.length - 1, Math.max(0, at + by))]
  next?.focus()
}
