// The commands about routing, as commander knows them.
import type { Command } from 'commander'
import type { CortexOptions } from './cortex.ts'
import { examples, type Run } from './output.ts'
import type { CorrectOptions, RouteOptions } from './route.ts'

export function addRoute(command: Command, run: Run): void {
  const file = () => import('./route.ts')
  const inProject = (one: Command): Command => one.option('--project <name>', 'as that project sees it (default: your home)')
  examples(
    inProject(command.argument('[text...]', 'what is to be done; "-" reads it from standard input'))
      .option('--strict', "exactly the ancestor's arithmetic, and its own answer")
      .option('--roster <file>', 'a routing table from elsewhere, YAML or JSON')
      .option('--verify <envelope>', 'the envelope file of a hand-off that this text came with')
      .option('--mode <mode>', 'with --verify: warn, or block (what does not fit is not routed)')
      .option('--files <n>', 'so many files are concerned')
      .option('--modules <n>', 'so many modules are concerned')
      .option('--deep', 'a deep run is asked for')
      .action((words: string[], options: RouteOptions) => run(async (call) => (await file()).route(call, words, options))),
    'steward route "map the login flow and fix the timeout"',
    'steward route correct "file the invoice" --to data',
    'steward route undo rule-3f',
  )
  inProject(command.command('rules').description('what was learned from corrections')).action((_, one: Command) =>
    run(async (call) => (await file()).listRules(call, one.optsWithGlobals())),
  )
  inProject(command.command('correct [text...]').description('"that should have gone to X": shows the rule and what it would change'))
    .requiredOption('--to <agent>', 'who should have got it')
    .option('--message <id>', 'that message, instead of a text')
    .option('--when <phrase...>', 'what the rule asks for (default: the telling words of the text)')
    .option('--yes', 'make it a rule at once')
    .action((words: string[], _, one: Command) =>
      run(async (call) => (await file()).correct(call, words, one.optsWithGlobals<CorrectOptions>())),
    )
  command
    .command('accept <proposal>')
    .description('make a proposal a rule; the next decision follows it')
    .action((proposal: string) => run(async (call) => (await file()).accept(call, proposal)))
  inProject(command.command('undo <rule>').description('take a rule back')).action((id: string, _, one: Command) =>
    run(async (call) => (await file()).undo(call, id, one.optsWithGlobals())),
  )
}

export function addCortex(command: Command, run: Run): void {
  examples(
    command
      .option('--project <name>', 'as that project sees it (default: your home)')
      .option('--embed <file...>', 'keep it in these files, between markers; the rest of them stays as it is')
      .option('--check <file>', 'whether the section in that file is of today; ends with 1 when not')
      .option('--remove <file>', 'take the section out of that file')
      .action((options: CortexOptions) => run(async (call) => (await import('./cortex.ts')).cortex(call, options))),
    'steward cortex --project shop --embed AGENTS.md',
    'steward cortex --check AGENTS.md',
  )
}
