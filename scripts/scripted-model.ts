/**
 * A model server that echoes the last user line at once, for benchmarks: `node bin/run.js scripts/scripted-model.ts [PORT]`.
 * Prints its port on the first line, then serves until it is ended. Use it as OPENAI_BASE_URL=http://127.0.0.1:PORT/v1.
 */

import { startScriptedModel } from '../src/models/scripted.ts'

const asked = process.argv[2] ?? '0'
if (!/^\d{1,5}$/.test(asked) || Number(asked) > 65_535) {
  process.stderr.write(`The port is "${asked}"; allowed is a whole number from 0 to 65535 (0: a free one).\n`)
  process.exit(2)
}
const server = await startScriptedModel({ port: Number(asked), keep: 10 })
process.stdout.write(`${server.port}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
