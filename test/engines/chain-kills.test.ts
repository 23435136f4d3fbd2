// A chain under kills: the hub dies after each of the first events of a chain, is opened again on the same home, and goes on.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainOf, openStage, reports, type Stage, step } from './chain-stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

test('[E26] whatever the last event before the kill was, each worker, artifact and line is made once', async () => {
  stage.route = chainOf(step('scout'), step('coder'), step('scriber'))
  stage.plays.set('coder', ({ said }) =>
    said.includes('wrote') || said.includes('written') || said.includes('b.ts')
      ? (reports['coder'] ?? '')
      : { calls: [{ name: 'file_write', input: { path: 'src/b.ts', text: 'b\n' } }] },
  )
  const session = await stage.session()
  await stage.bench.say(session, 'look, build, tell')
  let kills = 0
  for (;;) {
    if (await progressed()) break
    await stage.reopen()
    kills++
  }
  await stage.bench.until('turn-settled', (event) => event.session === session)
  const lines = await stage.bench.lines(session)
  expect(kills).toBeGreaterThan(10)
  expect(lines.at(-1)).toContain('Done: all 3 steps.')
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines).toHaveLength(8)
  const made = (await stage.bench.events('process-created')).filter(({ data }) => JSON.stringify(data).includes('"parent":"prc_'))
  expect(made).toHaveLength(3)
  const names = (await stage.documents()).map(({ path, version }) => `${path.split('/').at(-1)} ${version}`)
  expect(names.filter((name) => !name.startsWith('trace'))).toEqual([
    '1-scout-report.md 1', '1-scout-report.md.envelope.json 1', '2-completion-report.md 1',
    '2-completion-report.md.envelope.json 1', '3-document.md 1', '3-document.md.envelope.json 1',
  ]) // biome-ignore format: one line reads better
  expect((await stage.bench.events('worker-linked')).length).toBe(3)

  /** Waits until something more is recorded (a restart alone is nothing); true when the chain has ended. */
  async function progressed(): Promise<boolean> {
    for await (const batch of stage.bench.journal.follow(stage.bench.journal.head())) {
      if (batch.some((event) => event.type === 'turn-settled' && event.session === session)) return true
      if (batch.some(({ type }) => progress.has(type))) return false
    }
    return false
  }
})

const progress: ReadonlySet<string> = new Set([
  ...['step-done', 'read-done', 'delegated', 'turn-started', 'turn-settled', 'ask-answered', 'wait-ended', 'chat-message-appended'],
  ...['document-written', 'chain-began', 'chain-engaged', 'chain-claimed', 'process-created', 'session-created', 'worker-linked'],
])
