// The exact text that a yes is for: as it is, and a diff with its added and removed lines marked. Text only ever becomes text nodes.

import { el } from './dom.ts'
import { words } from './words.ts'

export function previewBox(text: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n')
  const isDiff = lines.some((line) => line.startsWith('@@ '))
  const rows = isDiff ? lines.map((line) => diffLine(line)) : [text]
  return el('pre', { class: `preview${isDiff ? ' diff' : ''}`, dir: 'ltr', tabindex: 0, 'aria-label': words.preview }, ...rows)
}

function diffLine(line: string): HTMLElement {
  const isHead = /^(---|\+\+\+) /.test(line)
  const kind = isHead ? 'head' : line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith('@@') ? 'head' : ''
  const hidden = kind === 'add' ? words.added : kind === 'del' ? words.removed : null
  return el('span', { class: kind }, hidden !== null && el('span', { class: 'unseen' }, `${hidden} `), `${line}\n`)
}
