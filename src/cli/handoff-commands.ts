// The commands about hand-offs, as commander knows them.
import type { Command } from 'commander'
import type { CheckOptions, VerifyOptions } from './handoff.ts'
import { examples, type Run } from './output.ts'

export function addHandoff(handoff: Command, run: Run): void {
  const file = () => import('./handoff.ts')
  const withPlace = (command: Command): Command =>
    command
      .option('--contracts <folder>', 'the contracts of the edges, as FROM-to-TO.yaml')
      .option('--target <version>', 'what the receiver speaks: 1.x knows no 2.x (default: 2.0)')
  examples(handoff, 'steward handoff verify plan.md.envelope.json --mode block', 'steward handoff check . --contracts contracts')
  withPlace(handoff.command('verify <file>').description('is this the artifact of the envelope; with contracts, may it be handed over'))
    .option('--mode <mode>', 'block (a failure ends with 3) or warn (default: warn)')
    .addHelpText(
      'after',
      '\nEnds with 0 go on, 2 malformed, 3 blocked, 1 when FILE can not be read. The key of an HMAC is in ECL_HMAC_KEY.',
    )
    .action((name: string, options: VerifyOptions) => run(async (call) => (await file()).verifyFile(call, name, options)))
  withPlace(handoff.command('check <folder>').description('how well the envelopes below a folder keep to the protocol, gate by gate'))
    .addHelpText('after', '\nEnds with 0 all kept, 2 a MUST failed, 3 a SHOULD failed, 4 warnings only, 1 when nothing could be checked.')
    .action((name: string, options: CheckOptions) => run(async (call) => (await file()).checkFolder(call, name, options)))
}
