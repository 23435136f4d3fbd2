// An engine for tests of the edges: asks whether mails may be sent, side by side, then says what was decided. `mails` gives each its
// preview and its scopes; `question` asks in words instead.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silent } from '../src/base/log.ts'
import { loadConfig } from '../src/config.ts'
import type { Engine, Turn } from '../src/lanes/engine.ts'
import { openSteward } from '../src/steward.ts'
import type { Place } from './program.ts'

export type Mail = { readonly preview?: string; readonly scopes?: readonly string[]; readonly why?: string; readonly to?: string }

export function mailer(mails: readonly Mail[] = [{}]): Engine {
  return {
    name: 'mailer',
    version: 1,
    accepts: [1],
    async run(turn) {
      const entry = turn.entries.at(-1)
      const text = entry?.body.kind === 'message' ? entry.body.text : ''
      if (text === 'question') return askWords(turn)
      if (text === 'hello') return void turn.say('reply', { text: 'Hello Ada.', info: 'said by the mailer' })
      const asks = mails.map((mail, at) =>
        turn.ask(
          `approve-mail-${at + 1}`,
          {
            kind: 'approval',
            text: `Send mail ${at + 1}?`,
            request: request(turn, at + 1, mail),
            timeoutMs: 86_400_000,
          },
          { wake: false },
        ),
      )
      const said = (await Promise.all(asks)).map((one) =>
        one.kind === 'answer' ? `${one.outcome} ${JSON.stringify(one.value)}` : 'nothing',
      )
      turn.say('reply', { text: `Decided: ${said.join('; ')}` })
    },
  }
}

async function askWords(turn: Turn): Promise<void> {
  const options = [{ label: 'Tea' }, { label: 'Coffee', description: 'with milk' }]
  const answer = await turn.ask('drink', { kind: 'question', text: 'Tea or coffee?', options })
  turn.say('reply', { text: `You said ${answer.kind === 'answer' ? JSON.stringify(answer.value) : 'nothing'}` })
}

function request(
  turn: Turn,
  n: number,
  { preview = 'Dear Bob', scopes = ['once', 'step', 'run', 'project'], why = 'Bob asked for it.', to }: Mail,
) {
  const { process, id, chain } = turn
  const target = to ?? `bob${n}@example.org`
  const plan = {
    ...{ tool: 'mail_send', capability: 'mail.send', target, risk: 'R3', outward: true, destructive: false },
    ...{ why, consequences: 'The mail can not be taken back.', preview },
  }
  const where = { user: process.user, project: process.project, session: process.session, process: process.id, turn: id }
  const rule = { id: 'system.R3', level: 'system', text: 'what leaves the machine is asked' }
  return {
    ...{ hash: `h${n}`, plan, input: { to: target } },
    decision: { effect: 'ask', rule, risk: 'R3', reason: 'It leaves the machine.', scopes: [...scopes], considered: [] },
    where: { ...where, run: chain.root, agent: { name: process.agent, pledge: ['mail.send'] }, taint: 'none' },
  }
}

/** A hub in this process on that place's folder, with an agent of the person's own that uses the engine. */
export async function withMailer(place: Place, engine: Engine, work: () => Promise<void>): Promise<void> {
  const folder = join(place.home, 'documents', '_tenant', 'agents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mailer.md'), '---\nname: mailer\nengine: mailer\n---\nSends mails.\n')
  const config = await loadConfig({ env: { ...place.env } })
  const steward = await openSteward(config, { log: silent, env: { ...place.env }, engines: [engine] })
  try {
    await work()
  } finally {
    await steward.close()
  }
}
