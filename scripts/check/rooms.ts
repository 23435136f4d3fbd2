/**
 * Who imports whom. Fails on an import that goes down or sideways in the room order, that passes a door, that shows a package to
 * a room which may not see it, that brings Node into the browser's code, and on every import cycle between files.
 */

import { edgeFriends, edges, openRooms, packages, roomOrder } from './room-table.ts'
import { type Import, isTest, packageOf, resolveImport, type Source } from './source.ts'

/** Returns one line per forbidden import; [] when all is well. `sources` are all files of `src/` and `web/src/`. */
/** The files that know every room. */
const composition: readonly string[] = [
  'src/steward.ts',
  'src/doctor.ts',
  'src/families.ts',
  'src/treasury.ts',
  'src/attaching.ts',
  'src/knowing.ts',
  'src/lifetime.ts',
]

export function checkRooms(sources: readonly Source[]): string[] {
  const program = sources.filter((source) => !isTest(source.path))
  const byPath = new Map(program.map((source) => [source.path, source]))
  const found = program.flatMap((source) => source.imports.map((one) => problemOf(source, one, byPath)).filter((text) => text !== null))
  return [...found, ...strangers(program), ...nodeInBrowser(program, byPath), ...cycles(program)]
}

/** The room of `src/lanes/turn.ts` is `lanes`; null for `src/steward.ts` and for everything outside `src/`. */
export function roomOf(path: string): string | null {
  const parts = path.split('/')
  return parts[0] === 'src' && parts.length > 2 ? (parts[1] ?? null) : null
}

function problemOf(source: Source, one: Import, byPath: ReadonlyMap<string, Source>): string | null {
  const target = resolveImport(source.path, one.from)
  const reason = target === null ? packageProblem(source.path, one.from) : edgeProblem(source.path, target, byPath)
  return reason === null ? null : `${source.path}: imports ${one.from}: ${reason}`
}

function packageProblem(path: string, specifier: string): string | null {
  const room = roomOf(path)
  const name = packageOf(specifier)
  const allowed = packages[name] ?? packages[`${name.split('/')[0]}/*`]
  if (allowed === undefined && name.startsWith('node:')) return path.startsWith('web/') ? 'the browser has no Node modules' : null
  if (allowed === undefined) return `no room may see ${name} (scripts/check/room-table.ts)`
  const isAllowed = allowed.includes(path) || (room !== null && allowed.includes(room))
  return isAllowed ? null : `only ${allowed.join(', ')} may see ${name}`
}

function edgeProblem(from: string, to: string, byPath: ReadonlyMap<string, Source>): string | null {
  if (from.startsWith('web/')) return to.startsWith('web/') || roomOf(to) === 'protocol' ? null : 'the page imports protocol only'
  if (isTest(to) || !to.startsWith('src/')) return 'the program imports only the program'
  if (composition.includes(from)) return null
  const [mine, theirs] = [roomOf(from), roomOf(to)]
  if (theirs === null) return mine === 'cli' ? null : 'only cli may import the composition'
  if (mine === theirs || mine === null) return null
  return orderProblem(mine, theirs) ?? doorProblem(theirs, to, byPath)
}

function orderProblem(mine: string, theirs: string): string | null {
  if (mine === 'base') return 'base imports nothing'
  if (openRooms.includes(theirs)) return null
  if (roomOrder.indexOf(theirs) > roomOrder.indexOf(mine)) return `${theirs} stands below ${mine} in the list of rooms`
  const isEdge = edges.includes(theirs) && !edgeFriends[mine]?.includes(theirs)
  return isEdge ? `${theirs} is an edge: only src/steward.ts may import it` : null
}

/** A door is `room/room.ts` or `room/part/part.ts`; it opens a file by importing it or by naming it in its header. */
function doorProblem(room: string, to: string, byPath: ReadonlyMap<string, Source>): string | null {
  if (openRooms.includes(room) || isDoor(to)) return null
  const doors = [...byPath.values()].filter((source) => roomOf(source.path) === room && isDoor(source.path))
  if (doors.some((door) => opens(door, to))) return null
  return `${to} is not named by a door (${doors.map((door) => door.path).join(', ') || `src/${room}/${room}.ts is missing`})`
}

function isDoor(path: string): boolean {
  const parts = path.split('/')
  return parts.at(-1) === `${parts.at(-2)}.ts`
}

function opens(door: Source, path: string): boolean {
  const folder = door.path.slice(0, door.path.lastIndexOf('/') + 1)
  const name = path.startsWith(folder) ? path.slice(folder.length) : path
  const header = door.text.slice(0, Math.max(0, door.text.search(/^(import|export)\b/m)))
  return header.includes(name) || door.imports.some((one) => resolveImport(door.path, one.from) === path)
}

function strangers(program: readonly Source[]): string[] {
  return program.flatMap(({ path }) => {
    const room = roomOf(path)
    if (path.startsWith('web/') || composition.includes(path) || path === 'src/config.ts') return []
    if (path.endsWith('/index.ts')) return [`${path}: there is no index.ts; a door is named after its room`]
    if (room === null)
      return [
        `${path}: only steward.ts, its parts (doctor.ts, families.ts, treasury.ts, attaching.ts, knowing.ts, lifetime.ts) and config.ts lie directly in src/`,
      ]
    return roomOrder.includes(room) ? [] : [`${path}: ${room} is not a room (scripts/check/room-table.ts)`]
  })
}

/** `protocol` runs in the browser: neither it nor anything it imports may need Node. */
function nodeInBrowser(program: readonly Source[], byPath: ReadonlyMap<string, Source>): string[] {
  const reached = new Set(program.map((source) => source.path).filter((path) => roomOf(path) === 'protocol'))
  for (const path of reached) {
    for (const target of targetsOf(byPath.get(path))) reached.add(target)
  }
  return [...reached].flatMap((path) => {
    const node = byPath.get(path)?.imports.find((one) => one.from.startsWith('node:'))
    return node ? [`${path}: imports ${node.from}: protocol reaches this file, and the browser has no Node modules`] : []
  })
}

function targetsOf(source: Source | undefined): string[] {
  const fixed = source?.imports.filter((one) => !one.isDynamic) ?? []
  return fixed.map((one) => resolveImport(source?.path ?? '', one.from)).filter((path) => path !== null)
}

/** Each cycle once, named by the way round. */
export function cycles(program: readonly Source[]): string[] {
  const byPath = new Map(program.map((source) => [source.path, source]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push(`import cycle: ${[...way.slice(way.indexOf(path)), path].join(' -> ')}`)
    if (done.has(path) || way.includes(path)) return
    for (const target of targetsOf(byPath.get(path))) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of byPath.keys()) visit(path, [])
  return found
}
