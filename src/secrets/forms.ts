// The forms in which a value shows up in texts, each with a name: `{{secret:name:url}}` is the value as it stands in an address.
// Pure. A form is exact: what was taken out is put back letter by letter.

/** Shorter texts can't be told from ordinary words, so a form that is shorter is not looked for. */
export const shortest = 8

const forms: Readonly<Record<string, (value: string) => string>> = {
  json,
  json2: (value) => json(json(value)),
  url: (value) => encodeURIComponent(value.toWellFormed()),
  'url-lower': (value) => encodeURIComponent(value.toWellFormed()).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'url-form': (value) => new URLSearchParams([['', value]]).toString().slice(1),
  html: (value) => value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign),
  hex: (value) => Buffer.from(value).toString('hex'),
  'hex-upper': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64-0': (value) => inside(value, 0),
  'base64-1': (value) => inside(value, 1),
  'base64-2': (value) => inside(value, 2),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'base64url-0': (value) => forUrl(inside(value, 0)),
  'base64url-1': (value) => forUrl(inside(value, 1)),
  'base64url-2': (value) => forUrl(inside(value, 2)),
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The value in that form; null for a form that there is not. Without a form it is the value itself. */
export function inForm(value: string, form: string | undefined): string | null {
  if (form === undefined) return value
  return Object.hasOwn(forms, form) ? (forms[form]?.(value) ?? null) : null
}

/** All that may stand for the value, each text once, the value itself first. Forms that are too short are left out. */
export function formsOf(value: string): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>([[value, null]])
  for (const [name, form] of Object.entries(forms)) {
    const text = form(value)
    if (!found.has(text)) found.set(text, name)
  }
  for (const text of found.keys()) if (text.length < shortest) found.delete(text)
  return found
}

/**
 * What of the base64 of a longer text is decided by the value alone, when `before` bytes (modulo 3) stand in front of it:
 * the letters at its ends hold bits of its neighbours too.
 */
function inside(value: string, before: 0 | 1 | 2): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
  const text = bytes.toString('base64').replace(/=+$/, '')
  return text.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1)
}

function json(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function forUrl(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}
