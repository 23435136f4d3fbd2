// The words of a question that a search by words looks for. Pure.

const mostWords = 32

/** Words that stand in every text, of the two languages that the hub speaks. */
const common: ReadonlySet<string> = new Set(
  (
    'a an and are as at be by can do does for from has have how i in is it its me my no not of on or our that the their this to was we what ' +
    'when where which who why will with you your ' +
    'aber als am an auch auf aus bei bin das dass dem den der des die du ein eine einem einen einer er es für hat haben ich ihr im in ist ' +
    'kann mein mich mir mit nicht noch oder sich sie sind so über um und uns von war was wenn wer wie wir wird wo zu zum zur'
  ).split(' '),
)

/** Each once, in lower case; common ones only when there are no others. */
export function wordsIn(question: string): readonly string[] {
  const all = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const rare = [...all].filter((word) => !common.has(word))
  return (rare.length > 0 ? rare : [...all]).slice(0, mostWords)
}
