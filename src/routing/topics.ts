// Whether a text is about software or a project at all: "plan a trip to Rome" has a verb of the planner and is no work for one.
import { basesOf } from './inflect.ts'
import { kindPlain, type Words } from './words.ts'

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}

/** Words of a life beside the work, English and German, folded. */
const life =
  set(`trip travel travels vacation holiday holidays honeymoon flight flights hotel hotels airbnb beach hike hiking camping cruise
  wedding birthday anniversary party christmas easter halloween dinner lunch breakfast recipe recipes meal meals cooking cake dessert restaurant
  restaurants grocery groceries shopping gift gifts present garden gardening lawn plants workout gym diet yoga marathon jogging weight sleep
  doctor dentist marriage boyfriend girlfriend husband wife mother father mum mom dad grandma kids child baby dog cat puppy pet haircut
  car bicycle bike kitchen bathroom bedroom sofa furniture apartment rent mortgage vacations weekend movie movies concert poem song novel
  rome paris london venice barcelona italy spain france greece croatia mallorca
  reise reisen urlaub ferien flug fluege strand wandern wanderung kreuzfahrt hochzeit geburtstag jubilaeum feier weihnachten ostern abendessen
  mittagessen fruehstueck rezept rezepte essen kochen kuchen einkauf einkaufen geschenk geschenke garten rasen fitness training abnehmen arzt
  zahnarzt ehe freund freundin ehemann ehefrau mutter vater oma opa kinder hund katze haustier auto fahrrad kueche bad schlafzimmer moebel
  wohnung miete wochenende kino film konzert gedicht lied roman rom italien spanien frankreich griechenland kroatien`)

/** Words of software and of the work on it. */
const work =
  set(`code codebase file files test tests testing bug bugs api apis endpoint endpoints module modules function functions class classes
  method repo repos repository branch commit commits deploy deployment server servers client database db sql cli ui ux app apps application page
  pages website site script scripts parser cache caching auth login token tokens query queries schema config configuration docs documentation
  readme release version build builds ci cd pipeline service services worker workers queue retry feature features component components spec
  requirements migration refactor architecture data dataset model models prompt agent agents webhook bot backend frontend web software program
  library package packages dependency dependencies framework typescript javascript python rust java node react docker kubernetes linux git
  github json yaml csv html css http https url regex error errors exception crash log logs logging trace bench benchmark performance latency
  memory thread threads import imports lockfile flag flags variable type types interface protocol socket encryption backup cron job jobs
  installer dispatcher router routing layer system tool tools ticket issue sprint roadmap milestone changelog adr runbook rollback incident
  datei dateien quelltext fehler modul funktion klasse methode datenbank schnittstelle anwendung programm dienst skript abfrage einstellung
  einstellungen oberflaeche seite webseite komponente bibliothek paket projekt projektplan anmeldung protokoll schema verzeichnis ordner code
  server test tests nutzer benutzer daten modell leistung speicher ablauf architektur entwicklung dokumentation version`)

export type Topic = { readonly life: readonly string[]; readonly work: boolean }

/** `work` also when it names a file or quotes code, or when nothing speaks of life. At most eight words are told. Linear. */
export function topicOf(words: Words): Topic {
  const found = new Set<string>()
  for (let at = 0; at < words.count && found.size < 8; at += 1) {
    const word = words.word[at] ?? ''
    if (life.has(word) && words.kind[at] === kindPlain) found.add(word)
  }
  return { life: [...found], work: found.size === 0 || isOfWork(words) }
}

function isOfWork({ word, kind }: Words): boolean {
  return word.some((one, at) => kind[at] !== kindPlain || work.has(one) || basesOf(one).some(({ base }) => work.has(base)))
}
