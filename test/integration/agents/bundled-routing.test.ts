// Everyday sentences, English and German, and which of the bundled specialists they lead to: roster, routing.yaml and cortex together.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildRoster } from '../../../src/agents/roster.ts'
import { packageRoot } from '../../../src/base/root.ts'
import { joinRouting } from '../../../src/routing/cascade.ts'
import { placeOf } from '../../../src/routing/place.ts'

const bundled = { level: 'bundled', scope: 'bundled' } as const
const folder = join(packageRoot, 'bundled')
const files = readdirSync(join(folder, 'agents')).map((name) => ({
  ...{ ...bundled, path: `agents/${name}`, version: 1 },
  text: readFileSync(join(folder, 'agents', name), 'utf8'),
}))
const rules = joinRouting([{ ...bundled, text: readFileSync(join(folder, 'routing.yaml'), 'utf8') }])
const { cortex } = placeOf(buildRoster(files, ['quick', 'hub', 'chat', 'chain']), rules)

/** Who does it, in order; nobody where the person is asked or whoever leads answers. */
function who(text: string): string {
  const { decision, chain, selected } = cortex.decide(text)
  if (decision === 'leave' || decision === 'clarify') return 'nobody'
  return decision === 'chain' ? chain.map(({ agent }) => agent).join(' > ') : selected.join(' ')
}

const sentences: Readonly<Record<string, readonly string[]>> = {
  scout: [
    'map the auth module',
    'Where is the rate limit set?',
    'who calls parseConfig?',
    'Wo wird das Token geprüft?',
    'Erkläre, wie der Parser funktioniert',
  ],
  planner: [
    'plan the migration to SQLite',
    'write a spec for the login page',
    'Plane die Migration auf SQLite',
    'Entwirf ein Cache-Konzept',
  ],
  coder: [
    'fix the bug in src/db.ts',
    'implement the retry logic in client.ts',
    'Behebe den Fehler in src/db.ts',
    'Schreibe einen Test für parse()',
    'convert data.csv to data.json until jq passes',
  ],
  scriber: ['document the API', 'write release notes for 2.0', 'Dokumentiere die API', 'Schreibe die Release Notes'],
  reasoner: ['should we use redis or memcached?', 'compare postgres and mysql for this', 'Sollen wir Redis oder Memcached nehmen?'],
  debugger: [
    'why does the test fail in CI?',
    'find the root cause of the crash',
    'Warum schlägt der Test fehl?',
    'Finde den Fehler im Login',
  ],
  executor: [
    'fix the typo in README.md',
    'bump the version to 1.2.3',
    'Korrigiere den Tippfehler in README.md',
    'Benenne die Funktion foo in bar um',
  ],
  nobody: [
    'hello',
    'what time is it?',
    'Guten Morgen',
    'What does this cost?',
    // Whoever leads was there: they know best what was decided.
    'Fasse zusammen, was wir beschlossen haben',
    'How do I bake bread?',
    'write me a poem',
    'make it better',
    'Wie geht es dir?',
  ],
  'scout > coder': ['explore the module and fix it', 'Untersuche das Modul und behebe den Fehler'],
  'debugger > scriber': ['diagnose the failure and write a runbook'],
  'planner > coder > scriber': ['Plane den Export, implementiere ihn und dokumentiere ihn'],
}

describe.each(Object.entries(sentences))('for %s', (expected, texts) => {
  test.each(texts)('[A4] %s', (text) => {
    expect(who(text)).toBe(expected)
  })
})
