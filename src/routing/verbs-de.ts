// German words of the seven classes, as data. A verb is written once, in its infinitive; its forms are made when the program starts.
// `an+legen` is separable; what follows `>` must come later in the sentence; what follows `:` are forms that no rule gives.

export type GermanEntry = {
  readonly class: string
  /** How it is told to people. */
  readonly says: string
  /** One of these comes later in the sentence; null: nothing need come. */
  readonly tails: ReadonlySet<string> | null
  /** Imperative, infinitive or first person: somebody is told to do it. */
  readonly orders: boolean
}

const artifactsDe =
  'doku dokumentation anleitung readme changelog adr runbook bericht zusammenfassung protokoll notiz uebergabenotiz versionshinweise eintrag handbuch uebersicht leitfaden postmortem wiki docs'
const codeDe = 'test tests funktion methode klasse code skript script modul programm endpunkt parser migration'

const verbs: Readonly<Record<string, string>> = {
  scout: `untersuchen
    analysieren
    erkunden
    kartieren
    nach+verfolgen
    verfolgen
    erklaeren
    ueberpruefen
    pruefen
    begutachten
    auf+listen
    nach+sehen: sieh
    an+sehen: sieh angesehen
    an+schauen
    nach+schauen
    durch+gehen: ging
    verstehen: verstand verstanden
    heraus+finden: fand herausgefunden
    raus+finden: fand rausgefunden
    raus+suchen
    heraus+suchen
    suchen
    finden> wo wer welche wie: fand gefunden
    zeigen> wo wie welche wer was
    beschreiben> wo wie was: beschrieb beschrieben`,
  debugger: `diagnostizieren
    debuggen
    ein+grenzen
    auf+spueren
    finden> fehler ursache fehlerursache bug: fand gefunden
    suchen> fehler ursache fehlerursache bug`,
  reasoner: `vergleichen: verglich verglichen
    ab+waegen: abgewogen
    bewerten
    beurteilen
    entscheiden: entschied entschieden
    gegenueber+stellen`,
  planner: `planen
    entwerfen: entwirf entwirft entwarf entworfen
    spezifizieren
    konzipieren
    zerlegen
    gliedern
    skizzieren
    auf+teilen> arbeit aufgabe projekt vorhaben schritte
    erstellen> plan konzept spezifikation entwurf
    schreiben> spezifikation konzept entwurf: schrieb geschrieben
    aus+arbeiten`,
  coder: `implementieren
    beheben: behob behoben
    reparieren
    fixen
    korrigieren
    bauen
    ein+bauen
    um+bauen
    um+setzen
    um+stellen
    erweitern
    aendern
    ab+aendern
    an+passen
    refaktorieren
    refaktorisieren
    refactoren
    ueberarbeiten
    optimieren
    migrieren
    portieren
    hinzu+fuegen
    ein+fuegen
    ergaenzen
    an+legen
    erstellen
    programmieren
    entwickeln
    patchen
    auf+raeumen
    um+schreiben: umgeschrieben schrieb
    aktualisieren
    schreiben> ${codeDe}: schrieb geschrieben
    loesen> fehler bug problem
    ersetzen
    entfernen
    loeschen
    verschieben: verschob verschoben
    konfigurieren
    aktivieren
    deaktivieren
    vereinfachen
    verbessern
    beschleunigen
    ein+richten
    setzen> auf
    raus+nehmen: nimm
    heraus+nehmen: nimm
    raus+werfen: wirf
    packen> in
    bringen> laufen gruen
    stellen> auf
    auf+teilen
    zusammen+fuehren
    sorgen> dafuer
    an+zeigen> in im auf`,
  executor: `um+benennen: benannte umbenannt
    beheben> tippfehler schreibfehler rechtschreibfehler: behob behoben
    korrigieren> tippfehler schreibfehler schreibweise rechtschreibung import pfad
    fixen> tippfehler schreibfehler import pfad
    erhoehen> version versionsnummer
    an+heben> version versionsnummer: angehoben
    aendern> version versionsnummer
    setzen> version versionsnummer`,
  scriber: `dokumentieren
    protokollieren
    zusammen+fassen
    fest+halten: haelt festgehalten
    nieder+schreiben: niedergeschrieben
    auf+schreiben: aufgeschrieben
    schreiben> ${artifactsDe}: schrieb geschrieben
    verfassen> ${artifactsDe}
    erstellen> ${artifactsDe}
    ergaenzen> ${artifactsDe}
    aktualisieren> ${artifactsDe}
    ueberarbeiten> ${artifactsDe}
    verfassen`,
}

const whyDe = 'ist sind hat haben geht laeuft wird werden schlaegt funktioniert bricht stuerzt haengt kommt kann startet findet bleibt'

/** Phrases, word by word in their order; `...` lets other words stand between. */
const phrases: Readonly<Record<string, readonly string[]>> = {
  scout: [
    'wo ist',
    'wo sind',
    'wo wird',
    'wo werden',
    'wo steht',
    'wo liegt',
    'wer ruft',
    'was ruft',
    'wovon haengt',
    'wie funktioniert',
  ].concat(['wie wird', 'wie werden', 'wie laeuft', 'was benutzt', 'was verwendet']),
  debugger: ['ursache', 'fehlerursache', 'kaputt', 'stuerzt ... ab', 'schlaegt ... fehl', 'schlagen ... fehl', 'bricht ... ab'].concat(
    ['haengt ... auf', 'funktioniert nicht', 'geht nicht mehr', 'laeuft nicht mehr', 'sporadisch', 'woran liegt'],
    ...['warum', 'wieso', 'weshalb'].map((why) => whyDe.split(' ').map((verb) => `${why} ${verb}`)),
  ),
  reasoner: [
    'sollen wir',
    'sollten wir',
    'soll ich',
    'sollte ich',
    'welcher ansatz',
    'welchen ansatz',
    'lohnt ... sich',
    'ist es besser',
  ].concat(['was ist besser', 'vorteile', 'nachteile', 'pro und contra', 'oder lieber', 'oder besser']),
  planner: ['anforderungen', 'abnahmekriterien', 'umsetzungsplan', 'projektplan', 'wie gehen wir vor'],
  executor: ['tippfehler'],
}

/** Words that are English too: they count in a German text only. */
export const alsoEnglish: ReadonlySet<string> = new Set(
  'plane plan plans plant fix fixe patch patche code find such suche lies debug bau test teste portier anpass last fast mind bring vergleich refactor vorteile patchen debuggen fixen spec import version'.split(
    ' ',
  ),
)

const inseparable = ['be', 'ge', 'er', 'ver', 'zer', 'ent', 'ueber', 'unter', 'wider']
export const separable: ReadonlySet<string> = new Set(
  'ab an auf aus bei durch ein fest fehl gegenueber heraus raus hinzu los mit nach nieder um vor weg weiter zu zurueck zusammen fort her hin ueber'.split(
    ' ',
  ),
)

/** Irregular forms that order. */
const imperatives: ReadonlySet<string> = new Set(['entwirf', 'sieh', 'nimm', 'wirf'])

/** Form of the first word -> what it may begin; those that ask for more words first. */
export const german: ReadonlyMap<string, readonly GermanEntry[]> = gather()

/** Words of phrases that stand side by side, by their first word. */
export const germanPhrases: ReadonlyMap<string, readonly { readonly class: string; readonly words: readonly string[] }[]> = phraseMap()

function gather(): ReadonlyMap<string, readonly GermanEntry[]> {
  const out = new Map<string, GermanEntry[]>()
  const add = (form: string, entry: GermanEntry) => {
    const known = out.get(form) ?? []
    if (!known.some((one) => one.class === entry.class && one.says === entry.says && one.orders === entry.orders)) known.push(entry)
    out.set(form, known)
  }
  for (const [kind, lines] of Object.entries(verbs)) for (const line of lines.split('\n')) addVerb(line.trim(), kind, add)
  for (const [kind, list] of Object.entries(phrases)) {
    for (const phrase of list) {
      const [first = '', gap, last] = phrase.split(' ')
      if (gap === '...' && last !== undefined) add(first, { class: kind, says: phrase, tails: new Set([last]), orders: true })
    }
  }
  for (const known of out.values()) known.sort((a, b) => (a.tails === null ? 1 : 0) - (b.tails === null ? 1 : 0))
  return out
}

function addVerb(line: string, kind: string, add: (form: string, entry: GermanEntry) => void): void {
  const [front = '', odd = ''] = line.split(': ')
  const [written = '', object] = front.split('> ')
  const [prefix, verb] = written.includes('+') ? written.split('+') : ['', written]
  if (verb === undefined || prefix === undefined) return
  const objects = object === undefined ? null : new Set(object.split(' '))
  const says = `${prefix}${verb}${object === undefined ? '' : ` ${object.split(' ')[0]}`}`
  const { orders, tells } = formsOf(verb, prefix !== '')
  const apart = prefix === '' ? objects : new Set([prefix])
  for (const form of orders) add(form, { class: kind, says, tails: apart, orders: true })
  for (const form of tells) add(form, { class: kind, says, tails: apart, orders: false })
  const joined = prefix === '' ? [] : [`${prefix}${verb}`, `${prefix}zu${verb}`]
  for (const form of joined) add(form, { class: kind, says, tails: objects, orders: true })
  if (prefix !== '') for (const form of tells) add(`${prefix}${form}`, { class: kind, says, tails: objects, orders: false })
  for (const form of odd === '' ? [] : odd.split(' ')) {
    const told = !imperatives.has(form)
    add(form, { class: kind, says, tails: form.startsWith(prefix) && prefix !== '' ? objects : apart, orders: !told })
  }
}

function formsOf(verb: string, apart: boolean): { readonly orders: readonly string[]; readonly tells: readonly string[] } {
  const stem = verb.endsWith('eln') || verb.endsWith('ern') ? verb.slice(0, -1) : verb.slice(0, -2)
  const soft = stem.endsWith('t') || stem.endsWith('d') || stem.endsWith('chn') ? 'e' : ''
  const participle = verb.endsWith('ieren') || (!apart && inseparable.some((prefix) => verb.startsWith(prefix))) ? '' : 'ge'
  return {
    orders: [stem, `${stem}e`, verb, `${stem}${soft}st`],
    tells: [`${stem}${soft}t`, `${stem}${soft}te`, `${stem}${soft}ten`, ...(participle === '' ? [] : [`${participle}${stem}${soft}t`])],
  }
}

function phraseMap(): ReadonlyMap<string, readonly { readonly class: string; readonly words: readonly string[] }[]> {
  const out = new Map<string, { readonly class: string; readonly words: readonly string[] }[]>()
  for (const [kind, list] of Object.entries(phrases)) {
    for (const phrase of list) {
      const words = phrase.split(' ')
      if (words.includes('...')) continue
      const [first = ''] = words
      out.set(first, [...(out.get(first) ?? []), { class: kind, words }])
    }
  }
  return out
}

const functionsDe: ReadonlySet<string> = new Set(
  'der die das den dem des ein eine einen einem einer und oder ist sind nicht mit fuer auf im zu zum zur wir ich du mir mich uns bitte wo wie warum wer kannst koennen koenntest koennten wuerdest ob dass von vom bei wird werden noch auch dann danach es sie'.split(
    ' ',
  ),
)
const functionsEn: ReadonlySet<string> = new Set(
  'the a is are it and or of to for with we you i this that on should would could can please how where why what when in my our your'.split(
    ' ',
  ),
)

/** Verbs that order something, beside those of the classes. */
export const otherGermanVerbs: ReadonlySet<string> = new Set(
  'mach mache macht machen gib gebt geben hilf helfen kuemmere kuemmert sorge sorgt verbessere verbessern lass nimm setze setzt stelle teste testen starte starten stoppe loesche loeschen sichere sag sage nenne zeig zeige hole bringe raeum uebersetze uebersetzen verschiebe kopiere formatiere sortiere konvertiere exportiere importiere installiere konfiguriere verbinde berechne generiere bereinige vereinfache ersetze entferne aktiviere deaktiviere validiere benutze verwende veroeffentliche committe deploye'.split(
    ' ',
  ),
)

/** English words that, alone at the beginning of a text without small words, are German orders. */
const leading: ReadonlySet<string> = new Set(['plane', 'suche', 'patche', 'teste'])

/** More of its small words are German than English; without any, whether a word is that only German has. */
export function isGerman(words: readonly string[]): boolean {
  let de = 0
  let en = 0
  let own = false
  for (const word of words) {
    if (functionsDe.has(word)) de += 1
    if (functionsEn.has(word)) en += 1
    if (!own && german.has(word) && !alsoEnglish.has(word)) own = true
  }
  return de > en || (de === en && (own || leading.has(words[0] ?? '')))
}
