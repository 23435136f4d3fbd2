// The commands about pipelines.
import type { Command } from 'commander'
import type { AddGiven } from './knowledge.ts'
import { examples, type Run } from './output.ts'
import type { ImportGiven, InEnvironment } from './pipelines.ts'

export function addPipelines(pipelines: Command, run: Run): void {
  addLooking(pipelines, run)
  addMoving(pipelines, run)
  addDeploying(pipelines, run)
  addKnowing(pipelines.command('knowledge').helpCommand(false).description('documents that pipelines answer from'), run)
}

const file = () => import('./pipelines.ts')

function addLooking(pipelines: Command, run: Run): void {
  pipelines
    .command('list', { isDefault: true })
    .description('all pipelines, and where they are deployed')
    .option('--filter <text>', 'only those with that text in their name or description')
    .action((options: { filter?: string }) => run(async (call) => (await file()).listPipelines(call, options)))
  pipelines
    .command('show <pipeline>')
    .description('the steps of one, by id or name')
    .option('--pipeline-version <n>', 'that version (default: the newest)')
    .action((name: string, options: { pipelineVersion?: string }) =>
      run(async (call) => (await file()).showPipeline(call, name, options.pipelineVersion)),
    )
  pipelines
    .command('check <pipeline>')
    .description('what keeps one from running; deploys nothing')
    .option('--pipeline-version <n>', 'that version (default: the newest)')
    .action((name: string, options: { pipelineVersion?: string }) =>
      run(async (call) => (await file()).checkPipeline(call, name, options.pipelineVersion)),
    )
}

function addMoving(pipelines: Command, run: Run): void {
  examples(
    pipelines
      .command('import <source>')
      .description('an agent of EDDI or of another hub: a ZIP, a folder, or its address there; says what it does')
      .option(
        '--strategy <how>',
        'create: all of it new; merge: over what was imported from it before; upgrade: over an agent, by structure',
      )
      .option('--agent <id>', 'which agent of the source, when it has more than one')
      .option('--target <pipeline>', 'for upgrade: the pipeline that is changed')
      .option('--order <ids>', "for upgrade: the source's workflows in their order, with commas between them")
      .option('--only <ids>', 'only these parts of the source, with commas between them')
      .option('--preview', 'only say what it would do')
      .option('--deploy [environment]', 'deploy it when it is there (production, or test)')
      .action((source: string, options: ImportGiven) => run(async (call) => (await file()).importPipeline(call, source, options))),
    'steward pipelines import ./weather-bot.zip --preview',
    'steward pipelines import ./weather-bot.zip --strategy merge --deploy',
    'steward pipelines import https://eddi.example.org/agentstore/agents/5af59ee49bcb0f31b4b3b939?version=2',
  )
  pipelines
    .command('export <pipeline>')
    .description('as a ZIP that EDDI and Steward import; no value of a secret is in it')
    .option('--pipeline-version <n>', 'that version (default: the newest)')
    .option('--to <file>', 'a .zip file, or a folder that is not there yet (default: <name>-<version>.zip here)')
    .action((name: string, options: { pipelineVersion?: string; to?: string }) =>
      run(async (call) => (await file()).exportPipeline(call, name, { version: options.pipelineVersion, to: options.to })),
    )
  pipelines
    .command('new [template]')
    .description('one from a template; without a name of one it lists them')
    .option('--name <name>', 'what it is called')
    .option('--deploy', 'deploy it when it is made')
    .action((template: string | undefined, options: { name?: string; deploy?: boolean }) =>
      run(async (call) => (await file()).newPipeline(call, template, options)),
    )
}

function addDeploying(pipelines: Command, run: Run): void {
  const place = (command: Command) => command.option('--environment <name>', 'production (default), or test')
  place(pipelines.command('deploy <pipeline>'))
    .description('new conversations get it; in production it is an agent that can be asked')
    .option('--pipeline-version <n>', 'that version (default: the newest)')
    .action((name: string, options: InEnvironment & { pipelineVersion?: string }) =>
      run(async (call) => (await file()).deployPipeline(call, name, { ...options, version: options.pipelineVersion })),
    )
  place(pipelines.command('undeploy <pipeline>'))
    .description('no new conversation gets it; those that have begun go on')
    .action((name: string, options: InEnvironment) => run(async (call) => (await file()).undeployPipeline(call, name, options)))
}

const knowledge = () => import('./knowledge.ts')

function addKnowing(command: Command, run: Run): void {
  command
    .command('list [base]', { isDefault: true })
    .description('all knowledge bases, or the documents of one, by id or name, and how far each is')
    .action((base: string | undefined) => run(async (call) => (await knowledge()).listKnowledge(call, base)))
  examples(
    command
      .command('add <base> <files...>')
      .description('gives texts; a document of the same name is replaced')
      .option('--id <id>', 'what the document is known by (default: the name of the file)')
      .option('--name <name>', 'as answers are told where it is from')
      .action((base: string, files: readonly string[], options: AddGiven) =>
        run(async (call) => (await knowledge()).addKnowledge(call, base, { files, ...options })),
      ),
    'steward pipelines knowledge add manual ./manual/*.md',
  )
  command
    .command('remove <base> <document>')
    .description('takes a document away for good')
    .action((base: string, document: string) => run(async (call) => (await knowledge()).removeKnowledge(call, base, document)))
  command
    .command('refresh <base>')
    .description('indexes all documents anew, as its newest configuration says')
    .action((base: string) => run(async (call) => (await knowledge()).refreshKnowledge(call, base)))
}
