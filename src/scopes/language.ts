// Which language to speak, to write in, to show (reference/eddie.md 1.8, DESIGN section 7). Pure: the layers' values come in.

const languageKeys = ['chat.language', 'content.language', 'webui.language'] as const
export type LanguageKey = (typeof languageKeys)[number]
const layers = ['process', 'user', 'project', 'tenant'] as const
export type LanguageLayers = { readonly [L in (typeof layers)[number]]?: string | null }

/** First hit wins. Content belongs to the project, so no user's taste reaches it; the page belongs to the user alone. */
const order: Record<LanguageKey, readonly (typeof layers)[number][]> = {
  'chat.language': ['process', 'user', 'project', 'tenant'],
  'content.language': ['process', 'project', 'tenant'],
  'webui.language': ['user'],
}

/** What was set, innermost first; blank counts as not set. null when nothing was. */
export function findLanguage(key: LanguageKey, values: LanguageLayers): string | null {
  for (const layer of order[key]) {
    const value = values[layer]?.trim()
    if (value) return value
  }
  return null
}

/** The same with an end: the configured default, or English. */
export function languageOf(key: LanguageKey, values: LanguageLayers, configured?: string | null): string {
  return findLanguage(key, values) ?? (configured?.trim() || 'en')
}
