// How a value is written into a text of each mode.

export const templateModes = ['TEXT', 'HTML', 'JAVASCRIPT'] as const
export type TemplateMode = (typeof templateModes)[number]

const entities: { readonly [sign: string]: string } = { '"': '&quot;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** TEXT: as it is. HTML: five signs as entities. JAVASCRIPT: all but ASCII letters and digits by their numbers, safe in any quotes. */
export const escapes: { readonly [mode in TemplateMode]: (text: string) => string } = {
  TEXT: (text) => text,
  HTML: (text) => (/["'&<>]/.test(text) ? text.replaceAll(/["'&<>]/g, (sign) => entities[sign] ?? sign) : text),
  JAVASCRIPT: (text) => text.replaceAll(/[^A-Za-z0-9]/g, numbered),
}

function numbered(unit: string): string {
  const code = unit.charCodeAt(0)
  const hex = code.toString(16).toUpperCase()
  return code < 256 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`
}
