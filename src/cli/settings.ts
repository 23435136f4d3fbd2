// `steward config`: every setting, its effective value and where that came from.

import { inspectConfig } from '../config.ts'
import { type Call, exitCodes, type Result, table, tell } from './output.ts'

/** Works without a hub. Wrong values are told on standard error, the rest is shown all the same. */
export async function showConfig(call: Call): Promise<Result> {
  const { config, problems } = await inspectConfig({ env: call.env, home: call.home })
  for (const sentence of [...config.warnings, ...problems]) tell(sentence)
  const cells = config.shown.map((one) => [one.name, one.value ?? '', one.from, one.meaning])
  const value = { settings: config.shown, warnings: config.warnings, problems }
  return {
    value,
    text: table(['setting', 'value', 'from', 'meaning'], cells, ''),
    code: problems.length > 0 ? exitCodes.failed : exitCodes.done,
  }
}
