// How many characters a token has: a guess that is corrected by what providers count. One correction for each model.
const startGuess = 4
/** A provider that counts oddly can't push the guess further than this. */
const least = 1.5
const most = 6
/** How much one answer moves it. */
const weight = 0.3

export type Ratios = {
  /** Characters per token, to two digits, so that small moves don't shift what is given. */
  of(model: string): number
  /** What was sent, by characters, and what the provider counted. */
  learn(model: string, sent: { readonly characters: number; readonly tokens: number }): void
}

export function openRatios(): Ratios {
  const learned = new Map<string, number>()
  return {
    of: (model) => Math.round((learned.get(model) ?? startGuess) * 10) / 10,
    learn(model, { characters, tokens }) {
      // A short request is mostly frame: it says little about text.
      if (tokens < 200 || characters < 800) return
      const seen = Math.min(most, Math.max(least, characters / tokens))
      learned.set(model, (learned.get(model) ?? startGuess) * (1 - weight) + seen * weight)
    },
  }
}
