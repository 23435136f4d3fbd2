// The words of commands in English and German, as tables. Words stand folded: small letters, ae for ä, ss for ß.
export type Language = 'en' | 'de'
export type Verb = 'create' | 'write' | 'show' | 'delete' | 'archive'
export type Thing = 'project' | 'note' | 'agent' | 'session' | 'waiting' | 'status' | 'model' | 'search' | 'reminder'

/** `language` is '' where both have the word. */
export type Known<Value> = { readonly value: Value; readonly language: Language | '' }
export type Table<Value> = ReadonlyMap<string, Known<Value>>

export function folded(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .replaceAll('’', "'")
}

type Rows<Value extends string> = { readonly [V in Value]?: Partial<Record<Language | 'both', string>> }

/** Words of one value are separated by `|`. */
function table<Value extends string>(rows: Rows<Value>, values: readonly Value[]): Table<Value> {
  const all = new Map<string, Known<Value>>()
  for (const value of values) {
    const row = rows[value]
    for (const language of ['en', 'de', 'both'] as const)
      for (const word of wordsIn(row?.[language])) all.set(word, { value, language: language === 'both' ? '' : language })
  }
  return all
}

function wordsIn(row = ''): readonly string[] {
  return row
    .split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

export const verbs: Table<Verb> = table(
  {
    create: {
      en: 'create|make|new|add|start|begin|build|set up|setup',
      de: 'erstelle|erstell|erstellen|neu|neue|neues|neuen|neuer|anlegen|lege|leg|mache|mach|beginne',
    },
    write: {
      en: 'write|write down|take|take down|jot|jot down|note down|remember|append',
      de: 'schreibe|schreib|schreiben|notiere|notier|notieren|merke|merk|ergaenze|aufschreiben',
    },
    show: {
      en: 'show|open|list|read|see|display|view|tell|give|print|look at',
      de: 'zeige|zeig|oeffne|zeigen|liste|lies|lese|anzeigen|auflisten|vorlesen|ansehen|gib|nenne|nenn',
    },
    delete: {
      en: 'delete|remove|erase|destroy|drop|throw away|get rid of|del|rm|wipe|kill',
      de: 'loesche|loesch|loeschen|entferne|entfern|entfernen|wirf|wegwerfen|tilge|verwirf',
    },
    archive: {
      en: 'archive|close|put away|retire|shelve',
      de: 'archiviere|archivier|archivieren|schliesse|schliess|schliessen|beende|beenden|raeume|wegraeumen',
    },
  },
  ['create', 'write', 'show', 'delete', 'archive'],
)

/** Those that stand at the end of a German sentence. */
export const lastVerbs: ReadonlySet<string> = new Set(
  wordsIn(
    'erstellen|anlegen|schreiben|notieren|zeigen|anzeigen|auflisten|vorlesen|ansehen|loeschen|entfernen|wegwerfen|archivieren|schliessen|beenden|wegraeumen|aufschreiben',
  ),
)

export const things: Table<Thing> = table(
  {
    project: { en: 'project|projects', de: 'projekt|projekte|projekten|projekts' },
    note: { en: 'note|notes|memo|memos', de: 'notiz|notizen|notizzettel' },
    agent: { en: 'agents|helpers|workers', de: 'agenten|helfer', both: 'agent' },
    session: { en: 'session|sessions|conversation|conversations|chats', de: 'sitzung|sitzungen|gespraech|gespraeche' },
    waiting: {
      en: 'waiting|waits|approval|approvals|pending|inbox|questions',
      de: 'wartet|freigabe|freigaben|posteingang|offenes|fragen',
    },
    status: { en: 'doctor|health|state|diagnosis', de: 'zustand|gesundheit|diagnose', both: 'status|version' },
    model: {
      en: 'model|models|key|keys|provider|providers',
      de: 'modell|modelle|schluessel|anbieter',
      both: 'llm|api|token|openai|anthropic|ollama|gemini|claude|gpt',
    },
    search: { en: 'search|find', de: 'suche|suchen|such|finde' },
    reminder: { en: 'remind|reminder|reminders|alarm', de: 'erinnere|erinner|erinnerung|erinnerungen|wecker' },
  },
  ['project', 'note', 'agent', 'session', 'waiting', 'status', 'model', 'search', 'reminder'],
)

/** Of several: no name belongs to them. */
export const plurals: ReadonlySet<string> = new Set(wordsIn('projects|projekte|projekten|notes|notizen|memos'))
export const everything: ReadonlySet<string> = new Set(wordsIn('all|every|everything|each|alle|alles|jede|jedes|saemtliche'))

const englishSmall =
  'a|an|the|my|me|i|is|are|it|to|of|for|in|on|at|and|or|please|with|what|which|can|you|do|does|could|would|like|want|need|all|any|some|this|that|there|here|where|how|who|now|today|have|has|had|got|just|let|us|we|our|your|many|into|from|about|be|am|will|should|may|again|quickly|so|up|by|was|were|say|says|said|exist|use|configure|connect|install|choose|set|change|switch|without|exists|currently|right|called|named|name|over|existing|pls|plz|also|then|ok|hey|hi|hello|well|steward|concierge|not|but|if'
const germanSmall =
  'ein|eine|einen|einem|einer|eines|der|die|das|dem|den|des|mein|meine|meinen|meiner|meinem|meines|mir|mich|ich|ist|sind|es|zu|zum|zur|von|vom|fuer|auf|und|oder|bitte|namens|genannt|mit|was|welche|welcher|welches|welchen|kann|kannst|du|koenntest|wuerdest|moechte|will|brauche|alle|dies|diese|dieses|hier|da|wo|wie|wer|jetzt|heute|im|nach|habe|hab|hast|hat|gibt|denn|mal|doch|bloss|an|ab|auf|aus|ueber|viele|soll|sollen|wird|werden|steht|stehen|sag|uns|wir|gerade|eigentlich|noch|hallo|hey|so|hinzufuegen|einrichten|verbinden|installieren|waehlen|nutzen|benutzen|ohne|dich|dir|nicht|wenn|aber'

/** What is said after these is a note, though the word does not stand there. */
export const keepers: ReadonlySet<string> = new Set(wordsIn('remember|jot|take|note|notiere|notier|notieren|merke|merk|write down'))
/** Between such a word and what is said. */
export const leaders: ReadonlySet<string> = new Set(wordsIn('that|dass|dir|mir|me|down|auf|to'))
export const halves: ReadonlySet<string> = new Set(wordsIn('lege|leg|mache|mach|wirf|raeume|schreibe|schreib|liste|zeige|zeig|oeffne|lies'))
export const particles: ReadonlySet<string> = new Set(wordsIn('an|auf|weg|vor|ab'))

/** Words that mean nothing of their own, and are no typing errors. */
export const small: ReadonlyMap<string, Language | ''> = smallWords()

function smallWords(): ReadonlyMap<string, Language | ''> {
  const all = new Map<string, Language | ''>()
  for (const word of wordsIn(englishSmall)) all.set(word, 'en')
  for (const word of wordsIn(germanSmall)) all.set(word, all.has(word) ? '' : 'de')
  return all
}

/** Before a command: how people ask for things. */
export const openings: readonly (readonly string[])[] = phrasesIn(
  "please|pls|plz|can you|could you|would you|will you|i want to|i want you to|i want|i would like to|i would like|i need to|i need|i'd like to|i'd like|i like to|let us|let s|lets|let me|ok|okay|now|just|hey|hi|hello|steward|concierge|and|then|also|so|well|now please|go ahead and|help me|help me to|bitte|kannst du|koenntest du|wuerdest du|ich moechte|ich will|ich brauche|ich wuerde gern|ich wuerde gerne|ich haette gern|ich haette gerne|lass uns|hallo|jetzt|und|dann|mal|bitte mal|hilf mir",
)

/** After a command. */
export const endings: ReadonlySet<string> = new Set(
  wordsIn('please|pls|plz|now|thanks|bitte|jetzt|danke|mal|today|heute|gleich|sofort|immediately|for me'),
)

/** Who asks this way wants to know, not to have it done. */
export const asksHow: readonly (readonly string[])[] = phrasesIn(
  'how do|how can|how to|how does|how|why|when|can i|may i|should i|what happens|what if|what is a|what is an|what are|what s a|whats a|explain|could i|do you|are you able to|would it|wie|warum|wann|wozu|kann ich|darf ich|soll ich|was passiert|was ist ein|was ist eine|was sind|erklaere|erklaer|kann man|wie kann',
)

/** How many there are is seen where they are listed. */
export const asksMany: readonly (readonly string[])[] = phrasesIn('how many|how much|wie viele|wieviele|wieviel')

/** Who is asked to ask somebody. */
export const asksOthers: ReadonlySet<string> = new Set(wordsIn('ask|frag|frage|beauftrage|delegate|delegiere|assign|hire'))

/** Who asks this way wants to see what there is. */
export const asksWhat: ReadonlySet<string> = new Set(
  wordsIn(
    "what|which|who|where|is|are|do|does|have|any|my|how|whats|what's|the|all|was|welche|welches|welchen|welcher|wer|wo|ist|sind|gibt|habe|hab|hast|meine|mein|wie|wieviele|die|alle|there|give",
  ),
)

export const refusals: readonly (readonly string[])[] = phrasesIn(
  "don't|dont|do not|never|please don't|please do not|you must not|not|i don't want to|i do not want to|nicht|niemals|nie|bitte nicht|keine|kein|keinen|ich will nicht|ich moechte nicht|ich will keine|ich will kein",
)

/** Between a thing and its name. */
export const namers: readonly (readonly string[])[] = phrasesIn(
  'called|named|with the name|with name|by the name of|name|titled|about|on|for|of|namens|genannt|mit dem namen|mit namen|mit dem titel|ueber|zum thema|zu|zum|zur|fuer|von',
)

/** Between a note's name and what it says. */
export const tellers: readonly (readonly string[])[] = phrasesIn(
  'saying|that says|which says|with the text|with text|with the content|with content|and write|containing|mit dem text|mit text|mit dem inhalt|mit inhalt|in der steht|dass',
)

/** Between what was said before and a folder. */
export const placers: readonly string[] = wordsIn(
  'in|over|at|from|under|with|for|folder|directory|ueber|unter|im|ordner|verzeichnis|aus|mit|the|dem|den|auf',
)

function phrasesIn(row: string): readonly (readonly string[])[] {
  return wordsIn(row)
    .map((one) => one.split(' '))
    .sort((a, b) => b.length - a.length)
}

export type Talk =
  | 'hello'
  | 'bye'
  | 'thanks'
  | 'help'
  | 'who'
  | 'works'
  | 'cancel'
  | 'yes'
  | 'no'
  | 'agents'
  | 'waiting'
  | 'status'
  | 'models'
  | 'work'
  | 'sorry'

/** Whole sentences. */
export const phrases: Table<Talk> = table(
  {
    hello: {
      en: 'hello|hello there|hi|hi there|hey|hey there|greetings|good morning|good evening|good afternoon|good day|how are you|how do you do|hello steward|hi steward|hey steward|hello concierge|yo|howdy|anybody there|are you there|test',
      de: "hallo|hallo steward|hallo zusammen|moin|moin moin|servus|guten tag|guten morgen|guten abend|gruess gott|gruess dich|gruezi|na|wie geht es dir|wie geht's|wie gehts|hallo du|bist du da|tag|morgen",
    },
    bye: {
      en: 'bye|bye bye|goodbye|good bye|see you|see you later|see ya|good night|that was all|that is all|until tomorrow',
      de: "tschuess|ciao|auf wiedersehen|bis bald|bis spaeter|bis morgen|gute nacht|das war alles|das war's|das wars|mach's gut|machs gut",
    },
    thanks: {
      en: 'thanks|thank you|thanks a lot|thank you very much|many thanks|thx|ty|cheers|great|cool|nice|well done|perfect|good|very good|great thanks|cool thanks|awesome|ok thanks|okay thanks',
      de: 'danke|danke schoen|dankeschoen|vielen dank|danke dir|besten dank|super|prima|toll|gut|sehr gut|gut gemacht|klasse|super danke|ok danke|merci',
    },
    sorry: { en: 'sorry|my bad|i am sorry|oops', de: 'entschuldigung|verzeihung|tut mir leid|sorry tut mir leid|ups' },
    help: {
      en: "help|help me|commands|menu|what can you do|what can i do|what can i say|what do you understand|what do you know|how does this work|how do i use this|options|what now|show help|show commands|list commands|i need help|i do not know|i don't know|i am lost|examples|manual|instructions|?|??|/help|--help|-h",
      de: 'hilfe|hilf mir|befehle|menue|was kannst du|was kannst du tun|was kann ich tun|was kann ich sagen|was verstehst du|wie geht das|wie funktioniert das|was nun|und jetzt|zeige hilfe|zeige befehle|ich brauche hilfe|keine ahnung|ich weiss nicht|beispiele|anleitung|was kann ich hier machen|was kann ich machen',
    },
    who: {
      en: "who are you|what are you|what is steward|what is this|what's this|whats this|explain steward|tell me about steward|tell me about yourself|about|are you a bot|are you human|are you an ai|what is a hub|steward|concierge|who is steward|who made you|are you real",
      de: 'wer bist du|was bist du|was ist steward|was ist das|was ist das hier|erklaere steward|erzaehl mir von steward|bist du ein bot|bist du ein mensch|bist du eine ki|was ist ein hub|wer ist steward|erklaere mir steward|stell dich vor',
    },
    works: {
      en: 'what works|what works without a model|what can you do without a model|what works without a key|what can i do without a model|does it work without a model|do i need a model|do i need a key|why no model|why do i need a model|what is free|what does not need a model',
      de: 'was geht|was geht ohne modell|was kannst du ohne modell|was kann ich ohne modell tun|geht das ohne modell|brauche ich ein modell|brauche ich einen schluessel|was funktioniert ohne modell|wozu ein modell|wozu brauche ich ein modell|warum brauche ich ein modell',
    },
    cancel: {
      en: 'cancel|cancel that|cancel it|stop|stop it|abort|never mind|nevermind|forget it|forget that|quit|exit|back|go back|leave it|drop it|no never mind|esc|undo that',
      de: 'abbrechen|abbruch|brich ab|stopp|halt|vergiss es|vergiss das|lass es|lass das|lass mal|egal|doch nicht|zurueck|schon gut|ach egal|ach vergiss es|nein vergiss es|ach lass|lieber doch nicht',
    },
    yes: {
      en: 'yes|y|yep|yeah|yup|sure|ok|okay|yes please|yes do it|do it|go ahead|yes delete it|yes i am sure|i am sure|absolutely|of course|certainly|confirm|confirmed|yess|delete it|yes archive it|right',
      de: 'ja|j|jep|jo|jawohl|klar|ja bitte|ja klar|mach das|mach es|ja mach|ja loesche sie|ja loeschen|ja archivieren|sicher|ja sicher|natuerlich|genau|bestaetige|in ordnung|ja gerne|gerne|jaa|ja doch',
      both: '👍|+1',
    },
    no: {
      en: "no|n|nope|nah|no thanks|no thank you|not|none|without|no folder|without a folder|no please|better not|rather not|do not|don't|skip|keep it|not now|no way|nothing|no keep it|no don't|empty",
      de: 'nein|ne|nee|noe|nein danke|kein|keine|keinen|keiner|keins|ohne|ohne ordner|kein ordner|keinen ordner|lieber nicht|besser nicht|nicht|bloss nicht|auf keinen fall|behalte sie|nein nicht|nichts|leer|ueberspringen',
      both: '👎|-',
    },
    agents: {
      en: "who is there|who is here|who's there|who is available|who can help|who can help me|who can i ask|who else is there|who works here|who do you have|who do i have|what can they do|what can the others do",
      de: 'wer ist da|wer ist hier|wer ist verfuegbar|wer kann helfen|wer kann mir helfen|wen kann ich fragen|wer ist noch da|wer arbeitet hier|wen gibt es|was koennen die|wen hast du',
    },
    waiting: {
      en: "what waits|what waits for me|what is waiting|what is open|open questions|anything new|any news|what's new|what is new|is there anything for me|do i have to do something|anything to approve|anything waiting|what is pending|to do|todo|what do i have to do",
      de: 'was wartet|was wartet auf mich|was ist offen|offene fragen|gibt es etwas neues|gibt es neues|was gibt es neues|was gibts neues|ist etwas offen|muss ich etwas tun|wartet etwas|wartet etwas auf mich|was steht an|was muss ich tun',
    },
    status: {
      en: 'how is the hub|is everything ok|is everything okay|is everything fine|is all well|are you ok|is the hub ok|how is it going|is something wrong|what is wrong|system status|check yourself|is it running|run doctor|run the doctor|steward doctor|steward status',
      de: 'ist alles gut|ist alles in ordnung|ist alles ok|geht alles|laeuft alles|wie geht es dem hub|stimmt etwas nicht|was stimmt nicht|systemstatus|pruefe dich|laeuft der hub',
    },
    models: {
      en: 'steward models|set me up|configure ai|connect ai|make you smarter|how do i make you smarter|use ai|enable ai',
      de: 'richte dich ein|ki einrichten|ki verbinden|wie mache ich dich klueger',
    },
    work: {
      en: 'give work|give a task|i have a task|i have work|do something|do my work|work for me|i have a job|i need work done|delegate|i need somebody',
      de: 'gib arbeit|ich habe eine aufgabe|ich habe arbeit|mach etwas|arbeite fuer mich|ich habe einen auftrag|ich brauche jemanden',
    },
  },
  ['hello', 'bye', 'thanks', 'sorry', 'help', 'who', 'works', 'cancel', 'yes', 'no', 'agents', 'waiting', 'status', 'models', 'work'],
)
