// The tables that routing is tried with: the one that comes with the program, and the foreign one that lies beside the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildRoster } from '../../src/agents/roster.ts'
import { packageRoot } from '../../src/base/root.ts'
import { joinRouting } from '../../src/routing/cascade.ts'
import { parseRoutingTable } from '../../src/routing/foreign.ts'
import { tableOf } from '../../src/routing/place.ts'
import type { RoutingTable } from '../../src/routing/table.ts'
import { sharedFolder } from '../shared.ts'

/** As a place without documents of its own has it. */
export function bundledTable(): RoutingTable {
  const folder = join(packageRoot, 'bundled')
  const files = readdirSync(join(folder, 'agents'))
    .sort()
    .map((name) => ({
      ...{ path: `agents/${name}`, text: readFileSync(join(folder, 'agents', name), 'utf8') },
      ...{ level: 'bundled' as const, scope: 'bundled', version: 1 },
    }))
  const roster = buildRoster(files, ['hub', 'chat', 'quick', 'chain'])
  const text = readFileSync(join(folder, 'routing.yaml'), 'utf8')
  return tableOf(roster, joinRouting([{ level: 'bundled', scope: 'bundled', text }]))
}

const foreignPath = join(sharedFolder, 'data', 'eidolons', 'routing.yaml')

/** null: it is not beside this clone. */
export function foreignTable(): RoutingTable | null {
  if (existsSync(foreignPath)) return parseRoutingTable(readFileSync(foreignPath, 'utf8'))
  process.stderr.write(`ABSENT: ${foreignPath} is not there; routing is tried with the bundled table only\n`)
  return null
}
