// The commands about agents.
import type { Command } from 'commander'
import { examples, type Run } from './output.ts'

type At = { readonly project?: string }

export function addAgents(agents: Command, run: Run): void {
  const file = () => import('./agents.ts')
  const project = (command: Command) => command.option('--project <name>', 'as that project sees them (default: your home)')
  project(agents.command('list', { isDefault: true }))
    .description('all agents, and what they are for')
    .action((options: At) => run(async (call) => (await file()).listAgents(call, options)))
  project(agents.command('show <name>'))
    .description('all that the file of one says')
    .action((name: string, options: At) => run(async (call) => (await file()).showAgent(call, name, options)))
  examples(
    project(agents.command('check [file]'))
      .description("what is wrong with the agents' files, or with one before it is put there")
      .action((path: string | undefined, options: At) => run(async (call) => (await file()).checkAgents(call, path, options))),
    'steward agents check',
    'steward agents check ./gardener.md --project garden',
  )
  examples(
    project(agents.command('import <folder>'))
      .description('a roster from elsewhere (routing.yaml, index.yaml, contracts/) as agents; says first what it would do')
      .option('--yes', 'do it')
      .action((folder: string, options: At & { yes?: boolean }) => run(async (call) => (await file()).importAgents(call, folder, options))),
    'steward agents import ./roster --project shop',
    'steward agents import ./roster --project shop --yes',
  )
}
