// An option of a question by what the person typed: its number, or its words in any case.

/** undefined: the text is an answer in own words. */
export function optionIn<T extends { readonly label: string }>(options: readonly T[], text: string): T | undefined {
  const said = text.trim().toLowerCase()
  const byNumber = /^\d{1,3}$/.test(said) ? options[Number(said) - 1] : undefined
  return byNumber ?? options.find((one) => one.label.toLowerCase() === said)
}
