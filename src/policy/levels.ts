// Precedence (DESIGN section 7): which rule decides when several speak.

/**
 * Strongest first. What can't be lifted (floor, pledge, permission mode) is not among them: it decides before any rule is asked.
 * `preset` is the permission mode's own answer for a risk, weaker than anything that somebody wrote.
 */
export const levels = ['instruction', 'run', 'project', 'user', 'agent', 'system', 'preset'] as const
export type Level = (typeof levels)[number]

export const effects = ['deny', 'ask', 'allow'] as const
export type Effect = (typeof effects)[number]

type Ranked = { readonly id: string; readonly level: Level; readonly effect: Effect; readonly specificity: number }

/** 0 is the strongest. */
export function rankOf(level: Level): number {
  return levels.indexOf(level)
}

/**
 * Negative when `a` decides over `b`: the stronger level; at one level deny before ask before allow, then the more specific pattern;
 * the id last, so that the same rules always name the same one.
 */
export function compareRules(a: Ranked, b: Ranked): number {
  return (
    rankOf(a.level) - rankOf(b.level) ||
    effects.indexOf(a.effect) - effects.indexOf(b.effect) ||
    b.specificity - a.specificity ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}

/** The value of the strongest level that has one; null when none has. Also for choices that are no rules: a provider, a limit. */
export function strongest<T>(values: Partial<Readonly<Record<Level, T>>>): T | null {
  for (const level of levels) {
    const value = values[level]
    if (value !== undefined) return value
  }
  return null
}
