#!/usr/bin/env node
/** Runs one of the project's TypeScript scripts under a Node that can: `node bin/run.js scripts/check.ts --accept`. */
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { dieWithLauncher, isNewEnough, restart } from './launch.js'

if (isNewEnough()) await run()
else restart(fileURLToPath(import.meta.url), process.argv.slice(2))

async function run() {
  dieWithLauncher()
  const script = resolve(process.argv[2] ?? '')
  process.argv.splice(1, 2, script)
  await import(pathToFileURL(script).href)
}
