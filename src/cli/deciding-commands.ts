// The commands about what waits for a person, as commander knows them.
import type { Command } from 'commander'
import type { ApprovalFilter, Decision } from './approvals.ts'
import type { NewGrant } from './grants.ts'
import { type InboxFilter, type ItemAnswer, inboxVerbs } from './inbox.ts'
import { examples, type Run } from './output.ts'

export function addApprovals(approvals: Command, run: Run): void {
  const file = () => import('./approvals.ts')
  examples(approvals, 'steward approvals', 'steward approvals allow 7QK2 --scope run', 'steward approvals deny 7QK2 --reason "not today"')
  approvals
    .command('list', { isDefault: true })
    .description('what waits for your yes')
    .option('--session <id>', 'of that session')
    .option('--status <status>', 'requested, approved, rejected, expired or revoked (default: requested)')
    .option('--all', 'whatever became of it')
    .action((options: ApprovalFilter) => run(async (call) => (await file()).listApprovals(call, options)))
  approvals
    .command('show <id>')
    .description('what would be done, why, what comes of it, and the exact preview')
    .action((id: string) => run(async (call) => (await file()).showApproval(call, id)))
  examples(
    approvals
      .command('allow <id>')
      .description('say yes, for this one time unless --scope says more')
      .option('--scope <scope>', 'once, step, run, project or always, as far as it is offered')
      .option('--narrow <pattern>', 'only for targets like that, with a longer scope')
      .option('--for <time>', 'only for so long: 30m, 2h, 7d')
      .action((id: string, options: Decision) => run(async (call) => (await file()).allowApproval(call, id, options))),
    'steward approvals allow apr_01KB...',
    'steward approvals allow 7QK2 --scope project --narrow "/home/ada/shop/src/**" --for 2h',
  )
  approvals
    .command('deny <id>')
    .description('say no')
    .option('--reason <text>', 'why; the agent is told')
    .action((id: string, options: Decision) => run(async (call) => (await file()).denyApproval(call, id, options)))
}

export function addGrants(grants: Command, run: Run): void {
  const file = () => import('./grants.ts')
  grants
    .command('list', { isDefault: true })
    .description('what agents may do without asking')
    .option('--all', 'ended ones too')
    .action((options: { all?: boolean }) => run(async (call) => (await file()).listGrants(call, options)))
  examples(
    grants
      .command('add <capability>')
      .description('give a permission in advance')
      .option('--project <name>', 'in that project')
      .option('--always', 'in all projects')
      .option('--agent <name>', 'that agent alone (default: every one)')
      .option('--resource <pattern>', 'targets like that alone (default: all)')
      .option('--max-risk <risk>', 'up to that risk, R0 to R5')
      .option('--for <time>', 'for so long: 30m, 2h, 7d')
      .action((capability: string, options: NewGrant) => run(async (call) => (await file()).addGrant(call, capability, options))),
    'steward grants add fs.write --project shop --for 2h',
    'steward grants add net.fetch --always --agent arthur --resource "https://example.org/**"',
  )
  grants
    .command('revoke <id>')
    .description('take one back; it ends with the next call')
    .action((id: string) => run(async (call) => (await file()).revokeGrant(call, id)))
}

const verbs: Readonly<Record<(typeof inboxVerbs)[number], string>> = {
  read: 'say that you have read it',
  dismiss: 'put it away without an answer',
  archive: 'put it into the archive',
  unarchive: 'take it out of the archive',
}

export function addInbox(inbox: Command, run: Run): void {
  const file = () => import('./inbox.ts')
  inbox
    .command('list', { isDefault: true })
    .description('what is pending, newest first')
    .option('--status <status>', 'pending, answered, dismissed or archived (default: pending)')
    .option('--all', 'whatever became of it')
    .action((options: InboxFilter) => run(async (call) => (await file()).listInbox(call, options)))
  inbox
    .command('show <id>')
    .description('one item, and how it is answered')
    .action((id: string) => run(async (call) => (await file()).showItem(call, id)))
  examples(
    inbox
      .command('answer <id> [answer...]')
      .description('a yes or no, a number or name of a choice, an order of numbers, or a text, as it asks')
      .option('--outcome <outcome>', 'decided, insufficient-info or undecidable (default: decided)')
      .option('--reason <text>', 'why')
      .action((id: string, words: string[], options: ItemAnswer) =>
        run(async (call) => (await file()).answerItem(call, id, words.join(' '), options)),
      ),
    'steward inbox answer 7QK2 2',
    'steward inbox answer 7QK2 yes --reason "as we said"',
    'steward inbox answer 7QK2 --outcome insufficient-info --reason "which of the two?"',
  )
  for (const verb of inboxVerbs)
    inbox
      .command(`${verb} <id>`)
      .description(verbs[verb])
      .action((id: string) => run(async (call) => (await file()).changeItem(call, id, verb)))
  inbox
    .command('delegate <id> <person>')
    .description("hand it to another person's inbox")
    .option('--note <text>', 'what to say with it')
    .action((id: string, to: string, options: { note?: string }) => run(async (call) => (await file()).delegateItem(call, id, to, options)))
}

export function addModels(models: Command, run: Run): void {
  const file = () => import('./models.ts')
  models
    .command('list', { isDefault: true })
    .description('tiers with their chains, prices, windows, what rests, which agents use them, providers and their keys')
    .option('--project <name>', 'with the agents that this project sees')
    .action((options: { project?: string }) => run(async (call) => (await file()).listModels(call, options)))
  models
    .command('test [model]')
    .description('one tiny call; without a name to every model that a tier uses')
    .action((model: string | undefined) => run(async (call) => (await file()).testModels(call, model)))
  examples(
    models
      .command('use <tier> <models...>')
      .description('set the chain of light, standard or deep; none takes it away')
      .action((tier: string, list: string[]) => run(async (call) => (await file()).useModels(call, tier, list))),
    'steward models use standard anthropic/claude-haiku-4-5,ollama/llama3.2',
    'steward models use deep none',
  )
}

export function addTurn(turn: Command, run: Run): void {
  examples(
    turn
      .option('--full', 'with what each tool was given and gave back')
      .action((id: string, options: { full?: boolean }) => run(async (call) => (await import('./turn.ts')).showTurn(call, id, options))),
    'steward turn trn_01KB...',
    'steward sessions turns SESSION',
  )
}
