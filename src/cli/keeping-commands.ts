// The commands about secrets and budgets, as commander knows them.
import type { Command } from 'commander'
import type { Run } from './output.ts'
import type { Grants } from './secrets.ts'

export function addSecrets(secrets: Command, run: Run): void {
  const file = () => import('./secrets.ts')
  secrets
    .command('list', { isDefault: true })
    .description('their names, and who may use them; never a value')
    .action(() => run(async (call) => (await file()).listSecrets(call)))
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
