import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleSources, isFresh, sourceStamp } from '../bin/stamp.js'

/** Makes the first process, and only that, believe that it is an old Node. */
const old =
  'data:text/javascript,if(!process.env.STEWARD_LAUNCHED)Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})'
const program = `export async function main(argv) {
  if (argv[0] === 'wait') process.on('SIGTERM', () => process.exit(9))
  console.log(JSON.stringify({ argv, major: Number(process.versions.node.split('.')[0]) }))
  if (argv[0] === 'wait') await new Promise((resolve) => setTimeout(resolve, 20000))
  return 4
}`

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-launch-'))
  cpSync(join(import.meta.dirname, '../bin'), join(root, 'bin'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"name":"steward","type":"module"}')
  mkdirSync(join(root, 'src/cli'), { recursive: true })
  writeFileSync(join(root, 'src/cli/cli.ts'), program)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function args(...more: string[]): string[] {
  return ['--import', old, join(root, 'bin/steward.js'), ...more]
}

/** Where the platform's Node package keeps its binary. */
function giveProjectNode(): void {
  const folder = join(root, `node_modules/node-${process.platform}-${process.arch}`)
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')
  symlinkSync(process.execPath, join(folder, 'bin/node'))
}

describe('the launcher', () => {
  test('says in one sentence what is missing, and does not go on under an old Node', () => {
    const ended = spawnSync(process.execPath, args('status'), { encoding: 'utf8', env: { PATH: '/nowhere' } })
    expect([ended.status, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
    expect(ended.stderr).toContain('Steward needs Node 24 or newer and this is 20.19.0')
  })

  test('starts again under the Node of the project and ends with its code', () => {
    giveProjectNode()
    const ended = spawnSync(process.execPath, args('ask', 'a b'), { encoding: 'utf8', env: { PATH: '/nowhere' } })
    expect(ended.status).toBe(4)
    expect(JSON.parse(ended.stdout)).toEqual({ argv: ['ask', 'a b'], major: 24 })
  })

  test('takes a newer Node from the PATH when the project has none', () => {
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(process.execPath, join(root, 'elsewhere/node'))
    const ended = spawnSync(process.execPath, args('ask'), { encoding: 'utf8', env: { PATH: `/nowhere:${join(root, 'elsewhere')}` } })
    expect(ended.status).toBe(4)
  })

  test('passes a signal on', async () => {
    giveProjectNode()
    const child = spawn(process.execPath, args('wait'), { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: '/nowhere' } })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([9, null])
  })
})

describe('the stamp of a build', () => {
  test('holds until a source changes; tests are no sources', () => {
    const stamp = sourceStamp(root, bundleSources)
    mkdirSync(join(root, 'dist'))
    expect(isFresh(join(root, 'dist'), stamp)).toBe(false)
    writeFileSync(join(root, 'dist/stamp'), stamp ?? '')
    writeFileSync(join(root, 'src/cli/cli.test.ts'), '')
    expect(isFresh(join(root, 'dist'), sourceStamp(root, bundleSources))).toBe(true)
    utimesSync(join(root, 'src/cli/cli.ts'), 1, 1)
    expect(isFresh(join(root, 'dist'), sourceStamp(root, bundleSources))).toBe(false)
  })

  test('a build without sources beside it is taken as it is', () => {
    mkdirSync(join(root, 'dist'))
    writeFileSync(join(root, 'dist/stamp'), 'of another machine')
    rmSync(join(root, 'src'), { recursive: true })
    expect(isFresh(join(root, 'dist'), sourceStamp(root, bundleSources))).toBe(true)
  })
})

test('a package that is loaded late is a module: in a bundle a CommonJS one has no named exports', () => {
  const repository = join(import.meta.dirname, '..')
  const sources = readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const late = sources.flatMap((file) => [
    ...readFileSync(join(repository, 'src', file), 'utf8').matchAll(/\bimport\('((?!node:)[^'.][^']*)'\)/g),
  ])
  // What the bundle leaves outside is loaded as it is, and may be missing.
  const outside = ['@napi-rs/keyring']
  const names = new Set(late.map(([, name]) => name ?? '').filter((name) => !outside.includes(name)))
  const kinds = [...names].map((name) => {
    const { type }: { type?: string } = JSON.parse(readFileSync(join(repository, 'node_modules', name, 'package.json'), 'utf8'))
    return `${name} ${type ?? 'commonjs'}`
  })
  expect(kinds.filter((kind) => !kind.endsWith(' module'))).toEqual([])
  expect(names.size).toBeGreaterThan(0)
})
