// Tools at work in this process: a command in its sandbox beside a bare one, a search beside grep.

import { execFile } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '../../src/base/clock.ts'
import { execTools, type Sandbox, sandboxOf } from '../../src/tools/exec/exec.ts'
import { fileTools } from '../../src/tools/files/files.ts'
import { contextFor } from '../../src/tools/testing.ts'
import type { Tool } from '../../src/tools/tool.ts'
import type { Figure } from './figure.ts'
import type { At, Part } from './part.ts'
import { millisOf } from './repeat.ts'

const run = promisify(execFile)
const files = 5_000
const aFolder = 100

export const working: Part = {
  name: 'tools',
  run: async (at) => [...(await commands(at)), await search(at)],
}

async function commands(at: At): Promise<readonly Figure[]> {
  at.tell('commands')
  const path = process.env['PATH'] ?? '/usr/bin:/bin'
  const sandbox = sandboxOf(path)
  const found = await sandbox()
  if (found.kind === 'none') throw new Error(found.why)
  const means = { clock: systemClock, sandbox, mode: async () => 'required' as const, path, temp: tmpdir() }
  const tool = named(execTools(means), 'exec_run')
  const root = realpathSync(at.place.folder('commands'))
  const times = at.quick ? 10 : 40
  const given = { argv: ['true'] }
  const ours = await millisOf(times, () => answered(tool, given, root))
  const floor = await millisOf(times, () => run('true'))
  const bare = await millisOf(times, () => run(found.program, bareJail(found)))
  const note = `bubblewrap alone ${bare.toFixed(1)} ms; floor: the same program, bare`
  return [{ name: 'a command that does nothing', unit: 'ms', ours, floor, hold: { most: 100 }, note }]
}

function bareJail({ kind }: Sandbox): readonly string[] {
  return kind === 'bwrap' ? ['--unshare-all', '--ro-bind', '/', '/', 'true'] : []
}

async function search(at: At): Promise<Figure> {
  at.tell(`a search in ${files.toLocaleString('en')} files`)
  const root = realpathSync(at.place.folder('files'))
  const text = 'const nothing = "of interest stands in this line of a file"\n'.repeat(35)
  for (let file = 0; file < files; file++) {
    const folder = join(root, `part-${Math.floor(file / aFolder)}`)
    if (file % aFolder === 0) mkdirSync(folder)
    writeFileSync(join(folder, `file-${file}.ts`), file % 500 === 7 ? `${text}the needle\n` : text)
  }
  const tool = named(fileTools, 'file_search')
  const times = at.quick ? 3 : 7
  const ours = await millisOf(times, () => answered(tool, { text: 'the needle' }, root))
  const floor = await millisOf(times, () => run('grep', ['-rniF', 'the needle', root]))
  return { name: 'a search in 5,000 files', unit: 'ms', ours, floor, hold: { most: 1_500 }, note: 'floor: grep -rniF' }
}

function named(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (!found) throw new Error(`there is no tool ${name}`)
  return found
}

async function answered(tool: Tool, input: Parameters<Tool['run']>[0], root: string): Promise<void> {
  const outcome = await tool.run(input, contextFor({ roots: [root] }))
  if (!outcome.ok) throw new Error(`${tool.name}: ${outcome.text}`)
}
