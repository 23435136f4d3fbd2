// What texts are about, as data: words of software and of the work on it, words that mean that or something else, words of a life
// beside it. English and German, folded. Inflected forms and German compounds are found from these.
import { wordSet } from './word-set.ts'

/** Nobody says these about anything but software and the work on it. */
export const workWords = wordSet(`codebase code-base repo repos repository repositories monorepo commits rebase diff
  api apis endpoint endpoints rest graphql grpc sdk module modules function functions method refactor refactoring implement implementation
  deploy deployment deployments rollback rollout server servers backend frontend database databases db sql nosql orm cli gui ui ux app apps
  software website webpage site script scripts parser parsers compiler linter cache caching auth authentication authorization oauth jwt sso
  login signup checkout token tokens webhook websocket websockets query queries schema json yaml toml xml csv html css url http https
  regex config configuration env runtime readme docs documentation docstring docstrings changelog adr adrs runbook semver
  ci cd pipeline pipelines worker workers daemon cron scheduler thread threads async mutex deadlock microservice microservices
  kubernetes k8s docker containers terraform aws azure gcp s3 linux unix windows macos bash shell 
  typescript javascript python rust golang java kotlin php ruby scala node nodejs deno bun react vue angular svelte django flask rails
  fastify nextjs vite vitest jest mocha pytest webpack eslint biome prettier npm pnpm yarn pip cargo maven gradle
  postgres postgresql mysql sqlite mariadb mongodb redis memcached kafka rabbitmq nats elasticsearch prometheus grafana nginx apache
  redux zustand keycloak auth0 stripe git github gitlab bitbucket jira localstorage indexeddb sessionstorage
  exception exceptions traceback stacktrace segfault debug debugger bug bugfix hotfix regression latency throughput
  lockfile dependency dependencies import imports variable variables constant boolean string integer array struct enum
  parameter parameters callbacks socket encryption backend logger logging logs metrics telemetry tracing
  admin dashboard frontend dropdown sidebar navbar tooltip pagination onboarding toggle widget  
  spec specs specification specifications requirements roadmap milestone sprint backlog epic postmortem
  outage devops prototype mvp refactorings unit integration e2e flaky rate-limiting timeout timeouts retry retries
  users user        
  component components library libraries framework frameworks plugin plugins   
  stylesheet webhook bot crawler scraper loader dispatcher router middleware handler handlers controller serializer validator installer
  typo typos symlink binary hash checksum uuid timestamp timezone encoding unicode utf-8 embedding dataset
  quelltext quellcode codebasis repository modul module funktion klasse datenbank datenbanken schnittstelle schnittstellen anwendung
  endpunkt endpunkte skript skripte software webseite website oberflaeche komponente bibliothek abfrage abfragen konfiguration 
  benutzer nutzer dokumentation doku spezifikation abnahmekriterien umsetzungsplan
  tippfehler variable konstante parameter schema server migration deployment fehlermeldung protokolldatei logdatei
  versionsnummer abhaengigkeit abhaengigkeiten paketverwaltung kontaktformular suchfunktion schaltflaeche benutzerkonto
  harness optimization cpu ram gpu ssl tls dns proxy lint linting
  algorithm bottleneck workflow workflows healthcheck health-check wrapper helper helpers namespace serialization concurrency parsing caller
  callers callsite subroutine dataframe benchmark profiler coverage mock mocks fixture fixtures staging
  prod hostname subdomain session-token dropdown localhost 
  startup shutdown bootstrap migrate parse serialize deserialize validation cherry-pick
  monolith monorepos cronjob cronjobs mailer cookie cookies websites deprecated boilerplate changelogs renderer datepicker picker
  checkbox checkboxes textbox textarea popup popups autocomplete stacktraces payload payloads mapper mappers repository getter setter
  singleton iterator subclass mixin codegen minifier bundler polyfill hydration viewport breakpoint breakpoints keyboard shortcut
  broker brokers sharding replication replica replicas failover hostnames vpn firewall smtp imap ldap saml 2fa mfa totp rbac acl
  umstellung datentyp datensatz datensaetze klassen methoden methode mailversand nutzerkonto benutzerkonten eingabefeld
  befehl schnittstellentest testabdeckung umgebungsvariable umgebungsvariablen rechteverwaltung nutzerverwaltung
  rechte-system refaktoriere refaktorieren implementiere implementieren implementierung datenmodell stacktrace`)

/** Of software, or of something else: they count where nothing speaks of a life. */
export const doubtfulWords =
  wordSet(`code file files folder directory test tests testing bug bugs page pages system systems data model models program package packages
  tool tools layer issue issues ticket tickets class classes type types field fields version build builds service services
  performance memory project projects job jobs queue agent agents flag events error errors failure failures design plan migration
  password passwords access security records table column index search filter filters format report reports view
  screen notification notifications export session sessions storage account accounts key keys client clients customer  
  review guide manual wiki meeting decision decisions discussion update importer strategy
  flow process limit limits input output request upload transaction lib cluster host network config
  fehler problem datei dateien ordner verzeichnis seite seiten test tests programm dienst dienste projekt projekte paket pakete version
  daten modell leistung speicher ablauf nutzung import export suche filter liste tabelle spalte feld felder ansicht bericht sitzung
  schluessel kunde kunden rechnung rechnungen bestellung sicherheit zugriff aufruf aufrufe schicht vorschlag vorschlaege entwurf
  arbeitspaket arbeitspakete kollegen plan login app feature system aufgabe umgebung
  request merge pull race customers payment features feature release releases incident form export terminal
  menu header download downloads upload uploads port customer invoice invoices tenant tenants permissions settings
  production environment snapshot backup logout interface container cloud spring express swift promise promises callback
  branch commit modal layout responsive requirement architecture protocol adapter notebook validate stash tag decorator
  mutation certificate lock locking sync command commands wiring prompt button crash crashes page log
  placeholder redirect footer billing formular einstellungen anforderung anforderungen architektur umsetzung anmeldung absturz ausfall passwort
  computed calculated loaded stored parsed defined declared called invoked handled validated rendered triggered persisted registered
  berechnet geladen gespeichert aufgerufen verarbeitet eingelesen ausgelesen initialisiert validiert definiert gesetzt erzeugt
  verschickt versendet geprueft gelesen geschrieben geloggt gerendert ausgeloest uebergeben registriert aufgebaut
  mehrwertsteuer vat voucher vouchers coupon coupons gutschein gutscheine discount discounts cart basket warenkorb logik logic
  routes value values vorlage vorlagen template templates registration area
  protokoll protokolle transcript doc chart charts graph
  aenderung aenderungen changes dialog dialoge icon icons toolbar elastic workload
  quellen acceptance criteria click clicks clicking klick klicke source sources quelle quellen preis preise kosten buchung status`)

/** Of a life beside the work. */
export const lifeWords =
  wordSet(`chair chairs stuhl trip travel travels vacation holiday holidays honeymoon flight flights hotel hotels airbnb beach hike hiking camping cruise
  wedding birthday anniversary party christmas easter halloween dinner lunch breakfast recipe recipes meal meals cooking cook cake dessert
  restaurant restaurants grocery groceries shopping gift gifts present garden gardening lawn plants workout gym diet yoga marathon jogging
  weight sleep doctor dentist marriage boyfriend girlfriend husband wife mother father mum mom dad grandma grandmother grandfather sister
  brother uncle aunt daughter son kids kid child children baby dog dogs cat cats puppy pet pets haircut hair dress shirt shoes car bicycle bike
  kitchen bathroom bedroom bed sofa furniture apartment flat house rent mortgage vacations weekend movie movies film concert poem song novel book
  music jazz guitar piano football match weather rain snow sun sky moon bus train trains station airport museum pharmacy church school teacher
  nurse neighbour neighbor landlord friend friends family love dream boss salary coffee tea wine beer milk bread egg eggs rice soup pizza pasta
  cheese lemon lemons fruit vegan vegetarian calories doctor headache headaches medicine locker screws screw hospital tax taxes insurance pension bank parcel iphone pixel
  bookshelf oak wood tap washing fridge heating lamp alarm timer penguin penguins horse horses letter joke toast speech funeral pirate
  saturday sunday rome paris london venice barcelona vienna lisbon zurich hamburg munich berlin madrid tokyo italy spain france greece
  croatia portugal norway austria germany switzerland mallorca scotland island islands winter summer autumn spring
  reise reisen urlaub ferien flug fluege strand wandern wanderung kreuzfahrt hochzeit geburtstag jubilaeum feier weihnachten ostern
  abendessen mittagessen fruehstueck rezept rezepte essen kochen koche kuchen einkauf einkaufen geschenk geschenke garten rasen fitness
  fitnessstudio training abnehmen arzt zahnarzt ehe freund freundin ehemann ehefrau mutter vater oma opa schwester bruder tochter sohn onkel
  tante kinder kind baby hund katze katzen haustier auto fahrrad zug bahn bus bahnhof flughafen kueche bad schlafzimmer wohnzimmer moebel
  wohnung haus miete vermieter vermieterin nachbar nachbarin wochenende kino film konzert gedicht lied roman buch musik klavier fussball
  wetter regen schnee sonne himmel mond kaffee tee wein bier milch brot reis suppe nudeln kaese kalorien kopfschmerzen medikament
  krankenhaus steuer versicherung rente bank chef chefin liebe traum rom wien graz linz prag muenchen berlin hamburg italien spanien
  frankreich griechenland kroatien norwegen oesterreich deutschland winter sommer herbst heizung licht wecker lampe kuehlschrank
  haushalt strom halbmarathon kuendigung apotheke friseur schule lehrer lehrerin`)

/** Words of phrases that could be said of anything: a phrase of these alone doesn't tell what a text is about. */
export const everydayWords =
  wordSet(`lieber choice right smarter wiser cheaper safer suit fit best richtige wahl sinn sinnvoller ueberhaupt passt eignet keep getting tackle down changed broke get rid leak leaks fault culprit leck uebeltaeter used benutzt verwendet many much long often think mean behind going happens happen already else would where which viele viel lange oft meinst meint gibt irgendwo
  spricht gegen kommt woher
  cause caused causes causing reason reasons sense options option alternatives alternative pros cons plan overview summary approach idea
  broken wrong slow hangs hang crash fails failing work works worked worth better best best trade-off tradeoff trade-offs tradeoffs
  understand explore survey deliberate weigh versus vs ambiguous something why whether again new notes guide list look into out up down over
  through together way ways step steps story stories user summary summarize summarise synthesize chronicle
  ursache ursachen grund warum wieso weshalb woran vorteile nachteile vor- alternativen ueberblick konzept ansatz besser lohnt wert wie wo wer
  was welche welcher welches funktioniert laeuft geht mehr nicht ist hat wird werden sich ab an auf aus ein durch um zu zusammen fest fuer und
  oder schritt schritte plan heraus finde finden verschaffe dir mir einen eine ein den die das zwischen arbeit`)

/** Words that stand for something said before, or for all of it: they are about nothing of their own. */
export const vagueWords =
  wordSet(`me us care possible able chance sure time idea mess okay fine good bad nice big small little quick slow kind sort lot bit way point side thing things stuff it that this these those everything something anything all one ones part parts rest same work please thanks
  thank now first then finally afterwards next soon today quickly once more again only just really also too carefully better new
  ding dinge sache sachen alles etwas es das dies diese dieses teil teile rest bitte danke jetzt zuerst dann danach anschliessend
  gleich heute schnell nochmal nur auch wirklich besser neu neue mal einmal fertig
  funktioniert funktionieren erledigen schliessen oeffnen`)
