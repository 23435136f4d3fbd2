// The command line: `steward COMMAND ...`. Owns: which commands there are, their options, exit codes, what stands on standard
// output. Leaves: what a command does to its own file (ask.ts, chat.ts, start.ts, ...), which is loaded when it is called.
//
// C4  Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the hub is not reachable, 4 waiting for a person.
// C5  With --json one JSON value stands on standard output, and nothing else; every sentence goes to standard error.
// C6  Without a running hub a command says in one sentence how to start it.

import { Command, CommanderError } from 'commander'
import { version } from '../base/root.ts'
import { addAgents } from './agent-commands.ts'
import { addApprovals, addGrants, addInbox, addModels, addTurn } from './deciding-commands.ts'
import { addHandoff } from './handoff-commands.ts'
import { addBudgets, addSecrets, addSettings } from './keeping-commands.ts'
import { type Call, codeOf, exitCodes, printError, printResult, type Result, type Run } from './output.ts'
import { addPipelines } from './pipeline-commands.ts'
import type { NewProject } from './projects.ts'
import { addCortex, addRoute } from './route-commands.ts'

/** Runs one command line (without node and program) and returns the exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endOfPipe)
  const outcome: Outcome = { code: exitCodes.done }
  const program = makeProgram(outcome)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return outcome.code
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, argv.includes('--json'))
    printError({ json: program.opts().json === true }, error)
    return codeOf(error)
  }
}

type Outcome = { code: number }

/** Who reads our output went away (`steward journal | head`): that is no fault. */
function endOfPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.done)
}

/** Commander has written its sentence to standard error already. */
function usage(error: CommanderError, json: boolean): number {
  if (error.exitCode === 0) return exitCodes.done
  // Without a command there is no sentence, only the help.
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '')
  if (json) process.stdout.write(`${JSON.stringify({ error: { code: 'usage', message } })}\n`)
  return exitCodes.usage
}

function makeProgram(outcome: Outcome): Command {
  const program = new Command('steward')
    .description("A hub for a person's AI agents")
    .version(version, '--version', 'show the version')
    .option('--json', 'one JSON value on standard output')
    .option('--home <folder>', 'the data folder (default: STEWARD_HOME or ~/.steward)')
    .helpOption('--help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('Show what is allowed with --help')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
  const run = runner(program, outcome)
  addTalking(program, run)
  addHub(program, run)
  addLists(program, run)
  return program
}

function runner(program: Command, outcome: Outcome): Run {
  return async (act) => {
    const { json, home }: { json?: boolean; home?: string } = program.opts()
    const call: Call = { json: json === true, home, env: process.env }
    const result = await act(call)
    printResult(call, result)
    outcome.code = result.code ?? exitCodes.done
  }
}

function addTalking(program: Command, run: Run): void {
  program
    .command('ask <text...>')
    .description('send one message and print the reply; "-" reads the text from standard input')
    .option('--agent <name>', 'who is asked')
    .option('--project <name>', 'in which project')
    .option('--session <id>', 'go on in that session')
    .option('--wait <seconds>', 'how long to wait for the reply (default: 600; 0 does not wait)')
    .option('--attach <file>', 'a file that goes along; may be given several times', (file: string, before: string[] = []) => [
      ...before,
      file,
    ])
    .action((words: string[], options) => run(async (call) => (await import('./ask.ts')).ask(call, words, options)))
  program
    .command('chat')
    .description('talk in the terminal, or pipe lines in')
    .option('--session <id>', 'go on in that session')
    .option('--agent <name>', 'with whom')
    .action((options) => run(async (call) => (await import('./chat.ts')).chat(call, options)))
  program
    .command('journal')
    .description('the events, one a line')
    .option('--after <cursor>', 'only what came after that')
    .option('--follow', 'go on with what comes')
    .option('--format <format>', 'jsonl or outheis (default: jsonl)')
    .action((options) => run(async (call) => (await import('./journal.ts')).journal(call, options)))
}

function addHub(program: Command, run: Run): void {
  const add = (name: string, description: string, act: (call: Call) => Promise<Result>): void => {
    program
      .command(name)
      .description(description)
      .action(() => run(act))
  }
  add('start', 'run the hub; prints the address of the web page', async (call) => (await import('./start.ts')).start(call))
  add('stop', 'stop the running hub', async (call) => (await import('./stop.ts')).stop(call))
  add('status', 'what runs, and what waits behind what', async (call) => (await import('./status.ts')).status(call))
  add('doctor', 'what is wrong, and how to mend it', async (call) => (await import('./doctor.ts')).doctor(call))
  add('config', 'every setting, its value and where that came from', async (call) => (await import('./settings.ts')).showConfig(call))
}

function addLists(program: Command, run: Run): void {
  addInbox(program.command('inbox').helpCommand(false).description('what needs you, and your answers'), run)
  addApprovals(program.command('approvals').helpCommand(false).description('what waits for your yes or no'), run)
  addGrants(program.command('grants').helpCommand(false).description('what agents may do without asking'), run)
  addModels(program.command('models').helpCommand(false).description('providers, tiers, prices; test and choose'), run)
  addTurn(program.command('turn <id>').description('what a turn did, step by step, with cost and cause'), run)
  addSessions(program.command('sessions').helpCommand(false).description('list, show, and end conversations'), run)
  addProjects(program.command('projects').helpCommand(false).description('list, show, create and archive projects'), run)
  addSecrets(program.command('secrets').helpCommand(false).description('values that agents use and nobody sees'), run)
  addBudgets(program.command('budgets').helpCommand(false).description('what may be spent on models'), run)
  addSettings(program.command('settings').helpCommand(false).description('what you have set for a project, or for all'), run)
  addRoute(program.command('route').helpCommand(false).description('who should do something, and why; nothing is done'), run)
  addCortex(program.command('cortex').description('who does what, as a short text for a host model'), run)
  addHandoff(program.command('handoff').helpCommand(false).description('envelopes of hand-offs: verify one, check a folder'), run)
  addAgents(program.command('agents').helpCommand(false).description('who can be asked; check their files, import a roster'), run)
  addPipelines(program.command('pipelines').helpCommand(false).description('agents that are configuration: import, deploy, export'), run)
}

function addSessions(sessions: Command, run: Run): void {
  const file = () => import('./sessions.ts')
  sessions
    .command('list', { isDefault: true })
    .description('all sessions')
    .option('--project <name>', 'of that project')
    .option('--archived', 'archived ones too')
    .action((options) => run(async (call) => (await file()).listSessions(call, options)))
  sessions
    .command('show <id>')
    .description('its conversation')
    .action((id: string) => run(async (call) => (await file()).showSession(call, id)))
  sessions
    .command('rename <id> <title...>')
    .description('give it another title')
    .action((id: string, words: string[]) => run(async (call) => (await file()).renameSession(call, id, words.join(' '))))
  sessions
    .command('answer <id> <text...>')
    .description('answer an open question, by its id or that of its session')
    .action((id: string, words: string[]) => run(async (call) => (await file()).answerQuestion(call, id, words.join(' '))))
  sessions
    .command('turns <id>')
    .description('its turns; look at one with: steward turn ID')
    .action((id: string) => run(async (call) => (await import('./turn.ts')).listTurns(call, id)))
  sessions
    .command('mode <id> <mode>')
    .description('how much may be done without asking: read-only, ask, auto, or default')
    .action((id: string, mode: string) => run(async (call) => (await file()).setMode(call, id, mode)))
  sessions
    .command('stop <id>')
    .description('stop what runs in it')
    .action((id: string) => run(async (call) => (await file()).stopSession(call, id)))
  for (const verb of ['close', 'archive'] as const) {
    sessions
      .command(`${verb} <id>`)
      .description(`${verb} it`)
      .action((id: string) => run(async (call) => (await file()).endSession(call, id, verb)))
  }
}

function withPlace(command: Command): Command {
  return command
    .option('--root <folder...>', 'a folder that its agents may see')
    .option('--title <title>', 'what it is called')
    .option('--type <type>', 'project (it ends some day) or area (it goes on)')
    .option('--group <group>', 'the group it belongs to')
}

function addProjects(projects: Command, run: Run): void {
  const file = () => import('./projects.ts')
  projects
    .command('list', { isDefault: true })
    .description('all projects')
    .option('--all', 'archived ones and homes too')
    .action((options) => run(async (call) => (await file()).listProjects(call, options)))
  projects
    .command('show <name>')
    .description('one project')
    .action((name: string) => run(async (call) => (await file()).showProject(call, name)))
  withPlace(projects.command('create <name>').description('make one')).action((name: string, options: NewProject) =>
    run(async (call) => (await file()).createProject(call, name, options)),
  )
  withPlace(projects.command('change <name>').description('give it other folders or another title')).action(
    (name: string, options: NewProject) => run(async (call) => (await file()).changeProject(call, name, options)),
  )
  projects
    .command('archive <name>')
    .description('archive it')
    .action((name: string) => run(async (call) => (await file()).archiveProject(call, name)))
  projects
    .command('remove <name>')
    .description('archive it; --purge also removes its documents for good')
    .option('--purge', 'remove its documents for good')
    .action((name: string, options) => run(async (call) => (await file()).removeProject(call, name, options)))
}
