// Templates that were read before. A turn reads each of its templates once, whatever the number of its steps.

import { compileTemplate, type Template, type TemplateOptions } from './compiled.ts'
import type { TemplateMode } from './escape.ts'

/** `get` reads leniently and never throws. Ids are given with each rendering. */
export type Templates = { get(text: string, mode?: TemplateMode): Template }

/** How many characters of templates are kept at most, whatever their number. */
const mostCharacters = 8_000_000

/** Keeps up to `limit` templates, those that were asked for last. */
export function templates(limit: number, options: Pick<TemplateOptions, 'limits'> = {}): Templates {
  const kept = new Map<string, Template>()
  let characters = 0
  const trim = () => {
    for (const key of kept.keys()) {
      if (kept.size <= limit && characters <= mostCharacters) return
      kept.delete(key)
      characters -= key.length
    }
  }
  return {
    get(text, mode = 'TEXT') {
      const key = `${mode} ${text}`
      const known = kept.get(key)
      const template = known ?? compileTemplate(text, { ...options, mode, lenient: true })
      if (known) kept.delete(key)
      else characters += key.length
      kept.set(key, template)
      if (!known) trim()
      return template
    },
  }
}
