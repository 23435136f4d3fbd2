// Small drawings for states and buttons, on a grid of 24, in the colour of the text around them. Never the only carrier of a meaning.

type Part = readonly [tag: 'path' | 'circle' | 'rect', attributes: Readonly<Record<string, string | number>>]

const path = (d: string): Part => ['path', { d }]
const ring: Part = ['circle', { cx: 12, cy: 12, r: 9 }]

const drawings = {
  ask: [ring, path('M9.5 9.5c.4-1.5 1.4-2.2 2.7-2.2 1.6 0 2.7 1 2.7 2.3 0 1.9-2.7 2-2.7 4M12.2 17v.01')],
  working: [ring, ['circle', { cx: 12, cy: 12, r: 2.2 }]],
  waits: [path('M7 3h10M7 21h10M8 3v4l4 5-4 5v4M16 3v4l-4 5 4 5v4')],
  queued: [ring, path('M12 7.5V12l3 2')],
  done: [path('M5 12.5l4.5 4.5L19 7.5')],
  seen: [path('M2.5 12.5l4.5 4.5L16 8M12 16l1.2 1L22 8')],
  failed: [path('M8 3h8l5 5v8l-5 5H8l-5-5V8zM9 9l6 6M15 9l-6 6')],
  unknown: [path('M12 4l9 16H3zM12 10v4.5M12 17.2v.01')],
  stop: [['rect', { x: 6, y: 6, width: 12, height: 12, rx: 1.5 }]],
  paused: [ring, path('M10 9v6M14 9v6')],
  go: [path('M8 5.5v13l10-6.5z')],
  offline: [
    path(
      'M3 3l18 18M5 12.5a10 10 0 013.5-2.3M2.5 9a14 14 0 013-2M12 8.5c2.6 0 5 .9 7 2.8M10.5 5.6c4-.5 8 .8 11 3.6M9 16a5 5 0 013.5-1.3M12 19.5v.01',
    ),
  ],
  send: [path('M12 19V5M6 11l6-6 6 6')],
  new: [path('M12 4H6a2 2 0 00-2 2v12a2 2 0 002 2h12a2 2 0 002-2v-6M18.5 3.5a1.9 1.9 0 012.7 2.7L13 14.4l-3.6.9.9-3.6z')],
  home: [path('M4 11l8-7 8 7v8a1.5 1.5 0 01-1.5 1.5h-13A1.5 1.5 0 014 19zM10 20v-6h4v6')],
  folder: [path('M3 6.5A1.5 1.5 0 014.5 5H9l2 2.5h8.5A1.5 1.5 0 0121 9v9a1.5 1.5 0 01-1.5 1.5h-15A1.5 1.5 0 013 18z')],
  inbox: [path('M3 13l3-8h12l3 8v5a1.5 1.5 0 01-1.5 1.5h-15A1.5 1.5 0 013 18zM3 13h5l1.5 3h5L16 13h5')],
  menu: [path('M4 7h16M4 12h16M4 17h16')],
  close: [path('M6 6l12 12M18 6L6 18')],
  copy: [['rect', { x: 8, y: 8, width: 12, height: 12, rx: 2 }], path('M5 16a1 1 0 01-1-1V5a1 1 0 011-1h10a1 1 0 011 1')],
  edit: [path('M16.5 4.5a2.1 2.1 0 013 3L8 19l-4 1 1-4z')],
  again: [path('M20 12a8 8 0 11-2.5-5.8M20 4v4.5h-4.5')],
  back: [path('M15 6l-6 6 6 6')],
  forward: [path('M9 6l6 6-6 6')],
  down: [path('M6 9l6 6 6-6')],
} satisfies Record<string, readonly Part[]>

export type IconName = keyof typeof drawings

const turning: ReadonlySet<IconName> = new Set(['back', 'forward'])

export function icon(name: IconName, kind = ''): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', `icon ${kind} ${turning.has(name) ? 'turns' : ''}`.trim())
  const parts: readonly Part[] = drawings[name]
  for (const [tag, attributes] of parts) {
    const part = document.createElementNS('http://www.w3.org/2000/svg', tag)
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value))
    svg.append(part)
  }
  return svg
}
