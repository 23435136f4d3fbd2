/**
 * Builds what runs faster or elsewhere than the sources: `dist/` (the command line in one file plus lazily loaded pieces) and
 * `web/dist/` (the page). With `--stale` only what does not belong to the present sources is built.
 *
 * Pieces of an earlier build stay for a week, because a hub that runs from them may still load one.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundleSources, isFresh, sourceStamp } from '../bin/stamp.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const WEEK_MS = 7 * 24 * 3600 * 1000

type Target = {
  readonly title: string
  readonly entry: string
  readonly folder: string
  readonly sources: readonly string[]
  readonly options: BuildOptions
  readonly copy: (folder: string) => void
}

/** Of the languages in which zod can word its errors only one is used; the others are half of its size. */
const oneLocale: Plugin = {
  name: 'one-locale',
  setup(building) {
    const namespace = 'one-locale'
    building.onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer, resolveDir }) =>
      importer.includes(`${sep}zod${sep}`) ? { path: importer, namespace, pluginData: resolveDir } : null,
    )
    building.onLoad({ filter: /./, namespace }, ({ pluginData }) => ({
      contents: "export { default as en } from '../locales/en.js'",
      resolveDir: pluginData,
    }))
  },
}

const program: Target = {
  title: 'program',
  entry: 'src/cli/cli.ts',
  folder: 'dist',
  sources: bundleSources,
  options: {
    platform: 'node',
    target: 'node24',
    splitting: true,
    entryNames: 'steward',
    chunkNames: 'piece-[hash]',
    outExtension: { '.js': '.mjs' },
    // pg-native is optional inside pg; esbuild is needed by this script only; the keyring is native, and optional.
    external: ['pg-native', 'esbuild', '@napi-rs/keyring'],
    // One other character, and the engine keeps the whole file in memory with two bytes for each.
    charset: 'ascii',
    plugins: [oneLocale],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
  copy: () => {},
}

const web: Target = {
  title: 'web page',
  entry: 'web/src/main.ts',
  folder: 'web/dist',
  sources: ['web', 'src/protocol', 'src/base', 'package-lock.json', 'scripts/build.ts'],
  options: {
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: 'linked',
    entryNames: '[name]',
    tsconfig: join(root, 'web/tsconfig.json'),
    loader: { '.svg': 'dataurl', '.woff2': 'file' },
  },
  copy: copyPageFiles,
}

for (const target of [program, web]) await make(target, process.argv.includes('--stale'))

async function make(target: Target, onlyStale: boolean): Promise<void> {
  const started = performance.now()
  if (!existsSync(join(root, target.entry))) {
    console.error(`build: ${target.entry} does not exist, so there is no ${target.title} to build`)
    return
  }
  const stamp = sourceStamp(root, target.sources)
  const folder = join(root, target.folder)
  if (onlyStale && isFresh(folder, stamp)) return
  await bundle(target, folder)
  target.copy(folder)
  forget(folder)
  put(join(folder, 'stamp'), stamp ?? '')
  console.error(`build: ${target.title} in ${Math.round(performance.now() - started)} ms`)
}

async function bundle(target: Target, folder: string): Promise<void> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: entries(target),
    bundle: true,
    format: 'esm',
    outdir: folder,
    charset: 'utf8',
    logLevel: 'warning',
    legalComments: 'none',
    write: false,
    ...target.options,
  })
  for (const { path, contents, text } of result.outputFiles ?? []) put(path, target.options.charset === 'ascii' ? ascii(text) : contents)
}

/** The bundler leaves regular expressions as they are, and there an escape means the same. */
function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The page may bring a service worker; it must be a file of its own. */
function entries(target: Target): string[] {
  const worker = join(dirname(target.entry), 'sw.ts')
  return existsSync(join(root, worker)) ? [target.entry, worker] : [target.entry]
}

/** Everything below `web/` that is not compiled: the page itself, style sheets, pictures. */
function copyPageFiles(folder: string): void {
  for (const from of ['web/index.html', 'web/public', 'web/src'].map((path) => join(root, path))) {
    if (!existsSync(from)) continue
    if (!statSync(from).isDirectory()) cpSync(from, join(folder, 'index.html'))
    else cpSync(from, folder, { recursive: true, filter: (file) => statSync(file).isDirectory() || !/\.ts$/.test(file) })
  }
}

/** Readers see the old file or the new one, never half of one. */
function put(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, contents)
  renameSync(temporary, path)
}

function forget(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const isOld = /^piece-/.test(name) && Date.now() - statSync(path).mtimeMs > WEEK_MS
    if (isOld) rmSync(path)
    if (isOld) console.error(`build: removed ${relative(root, path)}`)
  }
}
