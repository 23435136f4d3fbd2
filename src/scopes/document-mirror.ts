// The folder of documents: `<root>/<scope>/<path>`, editable in any editor. The journal is the truth and the folder a mirror of what
// shows: what the API changes is written to its file, what an editor changes becomes a new version. Groups lie in `_group_<name>`;
// processes have no files.
import { mkdir } from 'node:fs/promises'
import { messageOf } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import { type Actor, userActor } from '../protocol/actor.ts'
import { type DocumentFiles, openDocumentFiles } from './document-files.ts'
import { isPath, mimeOf } from './document-path.ts'
import type { Spot, Versions } from './document-versions.ts'
import type { Place } from './events.ts'
import { watchFolder } from './folder-watch.ts'
import { tenantProject, userOfHome } from './names.ts'
import type { Rooms } from './rooms.ts'

export type DocumentMirror = {
  /**
   * A change through the hub, with its files: takes in what an editor wrote to them before, runs `change`, then brings the files to
   * what shows. Nothing is taken in between, so that a document whose file is not yet there is not seen as removed. What can't be
   * written is logged: the next start tries again.
   */
  during<T>(spots: readonly Spot[], change: () => Promise<T>): Promise<T>
  /** Resolves when what was noticed so far is taken in. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** How long after the last change in the folder it is looked at. */
const settleMs = 150

export const noMirror: DocumentMirror = {
  during: (_spots, change) => change(),
  settled: async () => {},
  close: async () => {},
}

type Parts = {
  readonly versions: Versions
  /** Whether there is such a place. */
  readonly isPlace: (place: Place) => Promise<boolean>
  readonly changed: (path: string) => void
}

/** Makes the folder when missing, compares it with the journal once, then watches it. */
export async function openMirror(rooms: Rooms, parts: Parts, root: string): Promise<DocumentMirror> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const files = await openDocumentFiles(root, () => rooms.newId('doc'))
  let tail: Promise<void> = Promise.resolve()
  const work = openWork(rooms, parts, files)
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = tail.then(act)
    tail = mine.then(
      () => undefined,
      () => undefined,
    )
    return mine
  }
  const report = (thrown: unknown) => rooms.log('error', 'the documents folder could not be read or written', { why: messageOf(thrown) })
  const watching = watchChanges(rooms, root, (paths) => void inTurn(() => work.look(paths)).catch(report))
  await inTurn(() => work.compare()).catch(report)
  return {
    during: (spots, change) =>
      inTurn(async () => {
        for (const spot of spots) await work.pull(spot)
        const value = await change()
        for (const spot of spots) await work.push(spot)
        return value
      }),
    async settled() {
      watching.flush()
      await tail
    },
    async close() {
      watching.close()
      await tail
    },
  }
}

function openWork(rooms: Rooms, parts: Parts, files: DocumentFiles) {
  const { log, views } = rooms
  const { versions, changed } = parts

  /** Logged: a file that can't be read must not hinder the others. */
  async function attempt(spot: Spot, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (thrown) {
      log('warn', 'a document file could not be taken in or written', { file: nameOf(spot), why: messageOf(thrown) })
    }
  }

  /** Whether the file holds a version that was written before what shows, and not since: then the file is what is old. */
  async function isStale(spot: Spot, file: { readonly hash: string; readonly modifiedAt: number }): Promise<boolean> {
    const head = await versions.head(spot)
    if (head === null || file.modifiedAt > head.at) return false
    return (await views.documents.versions(spot.path, spot.place)).some((row) => row.hash === file.hash)
  }

  async function take(spot: Spot, atStart: boolean): Promise<void> {
    if (spot.place.level === 'process') return
    const file = await files.read(nameOf(spot))
    if (file === null) return
    const head = await versions.head(spot)
    const hash = sha256(file.text)
    if (head && !head.isHidden && head.hash === hash) return
    if (atStart && (await isStale(spot, { hash, modifiedAt: file.modifiedAt }))) return void (await put(spot))
    await versions.put({ ...spot, text: file.text, mime: mimeOf(spot.path), by: editorOf(spot.place) })
    changed(spot.path)
  }

  async function put(spot: Spot): Promise<void> {
    if (spot.place.level === 'process') return
    const row = await views.documents.find(spot.path, [spot.place])
    const text = row === null ? null : (row.text ?? (await rooms.journal.body(row.ref ?? '')))
    if (text === null) return files.remove(nameOf(spot))
    const there = await files.read(nameOf(spot))
    if (there?.text !== text) await files.write(nameOf(spot), text)
  }

  /** A file that went hides its document, unless its whole place went: that is a lost disk more often than a wish. */
  async function gone(path: string): Promise<void> {
    const found = placeIn(path)
    if (found === null) return
    for (const row of await views.documents.list(found.path, [found.place])) {
      if (found.path !== '' && row.path !== found.path && !row.path.startsWith(`${found.path}/`)) continue
      const spot = { place: found.place, path: row.path }
      await attempt(spot, async () => {
        if ((await files.read(nameOf(spot))) !== null || !(await files.isFolder(folderOf(spot.place)))) return
        await versions.hide(spot, editorOf(spot.place))
        changed(spot.path)
      })
    }
  }

  async function takeAll(names: readonly string[], atStart: boolean): Promise<void> {
    for (const name of names) {
      const found = placeIn(name)
      if (found === null || !isPath(found.path)) continue
      if (await parts.isPlace(found.place)) await attempt(found, () => take(found, atStart))
      else log('warn', 'a document file lies in a folder of no project, group or user', { file: name })
    }
  }

  return {
    pull: (spot: Spot) => attempt(spot, () => take(spot, false)),
    push: (spot: Spot) => attempt(spot, () => put(spot)),
    async look(paths: readonly string[]) {
      for (const path of paths) {
        try {
          const below = await files.below(path)
          await takeAll(below, false)
          if (!below.includes(path)) await gone(path)
        } catch (thrown) {
          log('warn', 'a part of the documents folder could not be taken in', { file: path, why: messageOf(thrown) })
        }
      }
    },
    /** At start: files that were edited meanwhile are taken in, files that are missing or old are written. */
    async compare() {
      await takeAll(await files.below(''), true)
      for (const row of await views.documents.all()) await attempt(row, () => put(row))
    },
  }
}

/** Collects changes, and tells of them when there were none for a while. */
function watchChanges({ clock, log }: Rooms, root: string, look: (paths: readonly string[]) => void) {
  const dirty = new Set<string>()
  let alarm: { cancel(): void } | null = null
  const flush = () => {
    alarm?.cancel()
    alarm = null
    const paths = [...dirty]
    dirty.clear()
    if (paths.length === 0) return
    watching.refresh(paths)
    look(paths)
  }
  const notice = (path: string) => {
    if (path !== '' && !isPath(path)) return
    dirty.add(path)
    alarm?.cancel()
    alarm = clock.after(settleMs, flush)
  }
  const watching = watchFolder(root, notice, (why) =>
    log('error', 'the documents folder is not watched; edits are taken in at the next start', { why: messageOf(why) }),
  )
  return {
    flush,
    close() {
      alarm?.cancel()
      watching.close()
    },
  }
}

function folderOf(place: Place): string {
  return place.level === 'group' ? `_group_${place.scope}` : place.scope
}

function nameOf({ place, path }: Spot): string {
  return `${folderOf(place)}/${path}`
}

/** Which document a file below the root is; null for a file that lies in no scope's folder. */
function placeIn(name: string): Spot | null {
  const slash = name.indexOf('/')
  const folder = slash < 0 ? name : name.slice(0, slash)
  const path = slash < 0 ? '' : name.slice(slash + 1)
  if (folder === tenantProject) return { place: { level: 'tenant', scope: folder }, path }
  if (folder.startsWith('_group_')) return { place: { level: 'group', scope: folder.slice(7) }, path }
  if (userOfHome(folder) !== null) return { place: { level: 'home', scope: folder }, path }
  return folder.startsWith('_') ? null : { place: { level: 'project', scope: folder }, path }
}

/** Who edits files in a home is its person; elsewhere nobody knows. */
function editorOf(place: Place): Actor {
  const user = place.level === 'home' ? userOfHome(place.scope) : null
  return user === null ? 'outside:files' : userActor(user)
}
