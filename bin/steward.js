#!/usr/bin/env node
/** The program `steward`. Runs on Node 20.19 just long enough to restart itself under the project's own Node. */
import { existsSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { dieWithLauncher, isNewEnough, restart, root } from './launch.js'
import { bundleSources, isFresh, sourceStamp } from './stamp.js'

if (isNewEnough()) await run()
else restart(fileURLToPath(import.meta.url), process.argv.slice(2))

async function run() {
  dieWithLauncher()
  keepCompiledCode()
  const { main } = await import(pathToFileURL(programFile()).href)
  process.exitCode = await main(process.argv.slice(2))
}

/** The bundle when it was made from these very sources (it starts faster), else the sources. */
function programFile() {
  const dist = join(root, 'dist')
  const bundle = join(dist, 'steward.mjs')
  const fresh = isFresh(dist, sourceStamp(root, bundleSources)) && existsSync(bundle)
  return fresh ? bundle : join(root, 'src', 'cli', 'cli.ts')
}

/** Compiled code is kept beside the program and nowhere else: who may write there may change the program anyway. */
function keepCompiledCode() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE) return
  const folder = join(root, '.cache', 'compile')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    module.enableCompileCache(folder)
  } catch {
    // A read-only installation starts a little slower; nothing else changes.
  }
}
