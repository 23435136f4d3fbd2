// The embedded store against what only real processes and real disks do: SIGKILL, two processes, a full disk.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AlreadyOpen, Unavailable } from '../src/base/errors.ts'
import type { LaneId } from '../src/base/ids.ts'
import { seeded } from '../src/base/testing.ts'
import type { Item } from '../src/journal/commit.ts'
import { commitOne, postOne, using } from '../src/journal/journal-store.contract.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-sqlite-'))
  file = join(folder, 'steward.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A writing process; `acked` is the newest line that it said. */
async function writer(lanes: number) {
  const script = join(import.meta.dirname, 'store-writer.ts')
  const child = spawn(process.execPath, [script, file, String(lanes)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const state = { acked: [] as number[], lines: 0, rest: '', errors: '' }
  child.stderr.on('data', (chunk) => {
    state.errors += chunk
  })
  child.stdout.on('data', (chunk) => {
    const lines = (state.rest + chunk).split('\n')
    state.rest = lines.pop() ?? ''
    state.lines += lines.length
    const newest = lines.at(-1)
    if (newest?.startsWith('[')) state.acked = JSON.parse(newest)
  })
  const exited = once(child, 'close')
  return {
    state,
    async said(lines: number) {
      while (state.lines < lines && child.exitCode === null) await Promise.race([once(child.stdout, 'data'), exited])
      if (state.errors) throw new Error(state.errors)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

describe('processes', () => {
  it('[S15] SIGKILL at any moment: all that was acknowledged is there, and each commit whole or not at all', async () => {
    const random = seeded(20261130)
    const lanes = 4
    for (let round = 0; round < 12; round++) {
      const child = await writer(lanes)
      await child.said(2 + random.int(40))
      await child.kill()
      const store = await openSqliteStore({ file, now: Date.now })
      const seqs: number[] = []
      for (let i = 0; i < lanes; i++) seqs.push((await store.journal.head(`prc_${i}` as LaneId))?.seq ?? 0)
      for (const [i, acked] of child.state.acked.entries()) expect(seqs[i]).toBeGreaterThanOrEqual(acked)
      const commits = seqs.reduce((sum, seq) => sum + seq / 2, 0)
      expect(seqs.every((seq) => seq % 2 === 0)).toBe(true)
      expect(await store.journal.countWaiting()).toBe(commits)
      expect(await store.journal.due(Number.MAX_SAFE_INTEGER, 1_000_000)).toHaveLength(commits)
      expect(await store.journal.last()).toBe(commits * 3)
      expect(store.db.get('SELECT count(*) AS n, max(cursor) AS last FROM events')).toEqual({ n: commits * 3, last: commits * 3 })
      expect(await store.checked).toEqual([])
      await store.close()
    }
  })

  it('[S17] the second process is refused and names the file; after SIGKILL of the first nothing stands in the way', async () => {
    const child = await writer(1)
    await child.said(2)
    const refused = openSqliteStore({ file, now: Date.now })
    await expect(refused).rejects.toBeInstanceOf(AlreadyOpen)
    await expect(refused).rejects.toThrow(file)
    await child.said(4)
    await child.kill()
    const store = await openSqliteStore({ file, now: Date.now })
    expect(await store.journal.last()).toBeGreaterThan(0)
    await store.close()
  })
})

const disk = mountSmallDisk()
afterAll(() => disk.unmount())

describe.skipIf(disk.why !== null)(`a full disk${disk.why ? ` (skipped: ${disk.why})` : ''}`, () => {
  const onDisk = () => join(disk.folder, 'steward.db')

  it('[S19] is answered unavailable with nothing half done; reads go on; with space the same items succeed', async () => {
    const ballast = join(disk.folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(6_000_000))
    const store = await openSqliteStore({ file: onDisk(), now: Date.now })
    store.define('people', ['CREATE TABLE people (name TEXT, text TEXT)'])
    const { lane, commit, event, post } = using(store.journal)
    const a = await lane()
    const b = await lane()
    const text = 'x'.repeat(20_000)
    let seq = 0
    let full: readonly Item[] = []
    while (full.length === 0) {
      const group = [{ commit: commit(a, seq, { events: [event('one', { text }), event('two')], posts: [post(b, `p${seq}`, { text })] }) }]
      const { results } = await store.journal.apply(group)
      if (!('commit' in (results[0] ?? {}))) throw new Error('no answer')
      const [result] = results
      if (result && 'commit' in result && result.commit.ok) seq += 2
      else {
        expect(result).toEqual({ commit: { ok: false, reason: 'unavailable', why: 'the disk is full' } })
        full = group
      }
    }
    expect(seq).toBeGreaterThan(20)
    for (let again = 0; again < 20; again++) {
      const { results } = await store.journal.apply([...full, { post: post(b, 'late') }])
      expect(results.map((r) => ('commit' in r ? r.commit : r.post))).toMatchObject([{ reason: 'unavailable' }, { reason: 'unavailable' }])
    }
    expect(await store.journal.head(a)).toMatchObject({ seq })
    expect(await store.journal.countWaiting(b)).toBe(seq / 2)
    expect(await store.journal.last()).toBe((seq / 2) * 3)
    expect((await store.journal.readLane(a, 0, 10_000)).length).toBe(seq)
    expect(() => store.transaction(() => store.db.run('INSERT INTO people VALUES (?, ?)', 'ann', 'x'.repeat(1_000_000)))).toThrow(
      Unavailable,
    )
    await expect(store.backup(join(disk.folder, 'backup.db'))).rejects.toBeInstanceOf(Unavailable)
    rmSync(ballast)
    const { results } = await store.journal.apply(full)
    expect(results).toMatchObject([{ commit: { ok: true } }])
    expect(await commitOne(store.journal, commit(a, seq + 2, { events: [event('on')] }))).toMatchObject({ ok: true })
    await store.close()
    const again = await openSqliteStore({ file: onDisk(), now: Date.now })
    expect(await again.journal.head(a)).toMatchObject({ seq: seq + 3 })
    expect(await again.checked).toEqual([])
    await again.close()
  })

  it('[S19] a hub that is started on a full disk can be read, and goes on when there is space', async () => {
    const ballast = join(disk.folder, 'ballast')
    const first = await openSqliteStore({ file: onDisk(), now: Date.now })
    const last = await first.journal.last()
    await first.close()
    fill(ballast)
    const store = await openSqliteStore({ file: onDisk(), now: Date.now })
    const { post } = using(store.journal)
    const b = 'prc_00000000000000000000000002' as LaneId
    expect(await store.journal.last()).toBe(last)
    expect(await postOne(store.journal, post(b, 'new', { text: 'x'.repeat(200_000) }))).toMatchObject({ reason: 'unavailable' })
    await expect(store.journal.heartbeat('nod_1' as never, 1000)).rejects.toBeInstanceOf(Unavailable)
    truncateSync(ballast, 0)
    expect(await postOne(store.journal, post(b, 'new', { text: 'x'.repeat(200_000) }))).toMatchObject({ ok: true, duplicate: false })
    await store.journal.heartbeat('nod_1' as never, 1000)
    await store.close()
  })
})

function mountSmallDisk(): { readonly folder: string; readonly why: string | null; unmount(): void } {
  const point = mkdtempSync(join(tmpdir(), 'steward-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=0700', 'tmpfs', point], { encoding: 'utf8' })
  const why = mounted.status === 0 ? null : `a disk of 20 MB can't be mounted here: ${mounted.stderr?.trim() || mounted.error?.message}`
  return {
    folder: point,
    why,
    unmount() {
      if (why === null) spawnSync('umount', [point])
      rmSync(point, { recursive: true, force: true })
    },
  }
}

/** Takes all space that is left, to the last page. */
function fill(ballast: string): void {
  const out = spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4096'], { encoding: 'utf8' })
  if (!out.stderr.includes('No space left')) throw new Error(`the disk could not be filled: ${out.stderr}`)
}
