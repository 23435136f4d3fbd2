// File name patterns, matched in linear steps: no regular expression is made of what a model writes.

const mostAlternatives = 64

export type Glob = (path: string) => boolean

/**
 * `*` and `?` inside a name, `**` for any folders, `{a,b}` for alternatives. A pattern without `/` is matched with the file's name
 * alone. null: it is longer than 200 characters or has more than 64 alternatives. Upper and lower case are not told apart.
 */
export function globOf(pattern: string): Glob | null {
  if (pattern.length > 200) return null
  const alternatives = expand(pattern.toLowerCase().replace(/^\.\//, ''))
  if (alternatives === null) return null
  const split = alternatives.map((one) => one.split('/'))
  return (path) => {
    const parts = path.toLowerCase().split('/')
    return split.some((names) => (names.length === 1 ? matchName(names[0] ?? '', parts.at(-1) ?? '') : matchParts(names, parts)))
  }
}

/** All texts that `{a,b}` stands for; null when there are too many. */
function expand(pattern: string): readonly string[] | null {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const group = /\{([^{}]*)\}/.exec(one)
    if (group === null) done.push(one)
    else
      for (const choice of (group[1] ?? '').split(','))
        open.push(one.slice(0, group.index) + choice + one.slice(group.index + group[0].length))
    if (done.length + open.length > mostAlternatives) return null
  }
  return done
}

/** The classic walk with one place to go back to: names * parts steps at most. */
function matchParts(names: readonly string[], parts: readonly string[]): boolean {
  return matchSequence(names, parts, { isAny: (name) => name === '**', matches: matchName })
}

export function matchName(pattern: string, text: string): boolean {
  return matchSequence([...pattern], [...text], { isAny: (one) => one === '*', matches: (one, other) => one === '?' || one === other })
}

type Rule = { readonly isAny: (one: string) => boolean; readonly matches: (one: string, other: string) => boolean }

function matchSequence(pattern: readonly string[], text: readonly string[], rule: Rule): boolean {
  let at = 0
  let star = -1
  let mark = 0
  for (let position = 0; position < text.length; ) {
    const wanted = pattern[at]
    if (wanted !== undefined && rule.isAny(wanted)) {
      star = at++
      mark = position
    } else if (wanted !== undefined && rule.matches(wanted, text[position] ?? '')) {
      at++
      position++
    } else if (star >= 0) {
      at = star + 1
      position = ++mark
    } else {
      return false
    }
  }
  while (at < pattern.length && rule.isAny(pattern[at] ?? '')) at++
  return at === pattern.length
}
