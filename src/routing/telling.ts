// The telling words of a text: what a rule that is learned from it asks for. Not the words that every text has, not names of agents,
// not addresses, paths and figures.
import { beginningOf } from './phrases.ts'
import { plainPhrase } from './rules.ts'

const most = 3
const shortest = 3
/** A longer text has its matter at its beginning. */
const lookedAt = 4_000

/** Words that say nothing about who should do it: English and German function words, and what people say to be polite. */
const plainWords = new Set(
  `a about above after again all already also although always am an and another any anybody anyone anything are as ask at away back be
  because been before being below between both but by came can cannot come could did do does doing done down each either else end even ever
  every everything few find first for from full further gave get gets getting give given gives go goes going gone good got great had has
  have having he hello her here hers hey him his how however i if in instead into is it its itself just keep kind kindly know last later
  least less let like little long look looking made make makes making many may maybe me might mine more most much must my myself near need
  needed needs never new next no nor not nothing now of off often ok okay on once one only onto or other our ours out over own part perhaps
  place please put quick quickly quite rather really right said same say see seem send sent several shall she should show since so some
  somebody something soon still such sure take tell than thank thanks that the their them then there these they thing things think this
  those though through to today together tomorrow too toward try two under until up upon us use used using very via wait want wanted wants
  was way we well went were what when where which while who whole whom whose why will wish with within without would year yes yesterday yet
  you your yours yourself
  aber alle allem allen aller alles also am an andere anderen anderer anderes auch auf aus bald bei beim bin bis bist bitte brauche
  brauchen da dabei dafür daher damit dann daran darauf daraus darf darum das dass dazu dein deine deinem deinen deiner dem den denn der
  deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch eben eher ein eine einem einen einer eines
  einfach einmal er erst es etwa etwas euch euer eure für gar geben gegen gehen gemacht gern gerne gestern gewesen gib gibt ging gut guten
  habe haben hallo hast hat hatte hätte hätten hätten heute hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins
  ist ja jede jedem jeden jeder jedes jemand jetzt kann kannst kein keine keinem keinen keiner können könnte könntest lass lassen mach mache
  machen macht mal man manche mehr mein meine meinem meinen meiner mich mir mit möchte morgen muss müssen musst nach nachher neben nein
  nicht nichts nie noch nun nur ob oder ohne schau schon sehr sei sein seine seinem seinen seiner seit selbst sich sie sind so sofort soll
  solche sollen sollte sondern sonst über um und uns unser unsere unter vielleicht viel viele vom von vor wann war waren warum was weil
  welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wohin wohl wollen worden wurde würde würden zu
  zum zur zwar zwei zwischen danke`.split(/\s+/),
)

/**
 * At most three, in the order of the text: words that `isKnown` knows (triggers of whoever should get it) before others, long ones
 * before short ones. [] when nothing in it is telling. Pure.
 */
export function tellingWords(
  text: string,
  given: { readonly isName: (word: string) => boolean; readonly isKnown: (word: string) => boolean },
) {
  const words = [...new Set(wordsOf(text))].filter((word) => word.length >= shortest && !plainWords.has(word) && !given.isName(word))
  const rank = (word: string) => (given.isKnown(word) ? 1_000 : 0) + word.length
  const best = [...words].sort((a, b) => rank(b) - rank(a)).slice(0, most)
  return words.filter((word) => best.includes(word))
}

/** Lower case, one by one. What hangs together with a digit, `@`, `/`, `.` or `_` inside is an address, a path or a figure. */
function wordsOf(text: string): readonly string[] {
  return beginningOf(text, lookedAt)
    .text.split(/\s+/)
    .map((run) => plainPhrase(run.replace(/^[^\p{L}@\d/]+|[^\p{L}\d/]+$/gu, '')))
    .filter((run) => /^\p{L}[\p{L}\p{M}'’-]*$/u.test(run))
    .map((run) => run.replace(/['’]\p{L}{1,2}$/u, ''))
}
