// The commands about secrets, budgets and settings, as commander knows them.
import type { Command } from 'commander'
import type { SettingPlace } from './hub-settings.ts'
import { examples, type Run } from './output.ts'
import type { Grants } from './secrets.ts'

export function addSecrets(secrets: Command, run: Run): void {
  const file = () => import('./secrets.ts')
  secrets
    .command('list', { isDefault: true })
    .description('their names, and who may use them; never a value')
    .action(() => run(async (call) => (await file()).listSecrets(call)))
  examples(secrets, 'steward secrets set github-token --agent arthur --host https://api.github.com < FILE', 'steward secrets rotate-key')
  withGrants(
    secrets.command('set <name>').description('keep a value, or give a known one a new value; it is read from standard input'),
  ).action((name: string, options: Grants) => run(async (call) => (await file()).setSecret(call, name, options)))
  withGrants(secrets.command('grant <name>').description('let agents use it, or allow hosts that it may be sent to')).action(
    (name: string, options: Grants) => run(async (call) => (await file()).grantSecret(call, name, options)),
  )
  withGrants(secrets.command('revoke <name>').description('take grants back')).action((name: string, options: Grants) =>
    run(async (call) => (await file()).revokeSecret(call, name, options)),
  )
  secrets
    .command('remove <name>')
    .description('remove it with all its versions')
    .action((name: string) => run(async (call) => (await file()).removeSecret(call, name)))
  secrets
    .command('rotate-key')
    .description('put all values under a new key')
    .action(() => run(async (call) => (await file()).rotateKey(call)))
}

function withGrants(command: Command): Command {
  return command
    .option('--agent <name...>', 'an agent that may use it; * is every one')
    .option('--host <origin...>', 'an origin that it may be sent to, like https://api.example.org')
}

export function addBudgets(budgets: Command, run: Run): void {
  const file = () => import('./budgets.ts')
  examples(budgets, 'steward budgets set 3 USD a day', 'steward budgets set 20 USD for project shop', 'steward budgets remove bud_01KB...')
  budgets
    .command('list', { isDefault: true })
    .description('what may be spent, and what was')
    .option('--days <days>', 'so many days of spending (default: 30)')
    .action((options: { days?: string }) => run(async (call) => (await file()).listBudgets(call, options)))
  budgets
    .command('set <text...>')
    .description('in plain words: "3 EUR a day", "20 USD for project shop"')
    .action((words: string[]) => run(async (call) => (await file()).setBudget(call, words.join(' '))))
  budgets
    .command('remove <id>')
    .description('remove one')
    .action((id: string) => run(async (call) => (await file()).removeBudget(call, id)))
}

export function addSettings(settings: Command, run: Run): void {
  const file = () => import('./hub-settings.ts')
  const inProject = (command: Command): Command => command.option('--project <name>', 'in that project (default: in your home, for all)')
  inProject(settings.command('list', { isDefault: true }).description('what is set'))
    .option('--prefix <prefix>', 'keys that begin like that')
    .action((options: SettingPlace) => run(async (call) => (await file()).listSettings(call, options)))
  examples(
    inProject(settings.command('set <key> <value...>').description('set one: a text, or JSON')).action(
      (key: string, words: string[], options: SettingPlace) =>
        run(async (call) => (await file()).setSetting(call, { key, words: words.join(' ') }, options)),
    ),
    `steward settings set budget.rates '{"EUR": 1.1}'`,
    'steward settings set policy.mode ask --project shop',
  )
  inProject(settings.command('unset <key>').description('take one away')).action((key: string, options: SettingPlace) =>
    run(async (call) => (await file()).unsetSetting(call, key, options)),
  )
}
