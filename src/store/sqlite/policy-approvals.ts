// Approvals and the grants that came of them: their tables and what each event does to them.
import { isId } from '../../base/ids.ts'
import { isObject } from '../../base/json.ts'
import { readAnswer, readDecided, readGrantAdded, readGrantRevoked, readRequest, readRequested } from '../../policy/facts.ts'
import { grantOf } from '../../policy/grant.ts'
import type { ApprovalRow, PolicyStore } from '../../policy/policy-store.ts'
import { userOf } from '../../protocol/actor.ts'
import type { Event } from '../../protocol/event.ts'
import type { Db } from './db.ts'
import { addGrant } from './policy-grants.ts'
import type { ProjectionSpec, TableNames } from './projection.ts'

export const approvalTables: ProjectionSpec['tables'] = {
  approvals: (t) => `
    CREATE TABLE ${t('approvals')} (
      id TEXT PRIMARY KEY, user TEXT NOT NULL, session TEXT NOT NULL, lane TEXT NOT NULL, turn TEXT NOT NULL, hash TEXT NOT NULL,
      request TEXT NOT NULL, status TEXT NOT NULL, requested_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, decided_by TEXT, scope TEXT
    ) STRICT;
    CREATE INDEX ${t('approvals')}_by_user ON ${t('approvals')} (user, status, requested_at);
    CREATE INDEX ${t('approvals')}_by_turn ON ${t('approvals')} (turn, hash);
    CREATE INDEX ${t('approvals')}_open ON ${t('approvals')} (lane) WHERE status = 'requested';`,
  grants: (t) => `
    CREATE TABLE ${t('grants')} (
      id TEXT PRIMARY KEY, user TEXT NOT NULL, subject TEXT NOT NULL, capability TEXT NOT NULL, resource TEXT NOT NULL, scope TEXT NOT NULL,
      within TEXT, taint TEXT NOT NULL, max_risk TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, approval TEXT
    ) STRICT;
    CREATE INDEX ${t('grants')}_by_user ON ${t('grants')} (user, within);`,
}

type On = ProjectionSpec['on'][string]

export const approvalHandlers: Record<string, On> = {
  'approval-requested': requested,
  'approval-decided': decided,
  'turn-settled': turnOver,
  'turn-stopping': turnOver,
  'process-closed': (db, event, t) => revokeOpen(db, t, { lane: event.lane, turn: null }),
  'grant-added'(db, event, t) {
    const grant = readGrantAdded(event)
    if (grant !== null && isOwn(event, grant.user)) addGrant(db, t, grant)
  },
  'grant-revoked'(db, event, t) {
    const revoked = readGrantRevoked(event)
    if (revoked === null || !isOwn(event, revoked.user)) return
    db.run(
      `UPDATE ${t('grants')} SET revoked_at = ? WHERE id = ? AND user = ? AND revoked_at IS NULL`,
      event.at,
      revoked.grant,
      revoked.user,
    )
  },
}

/** A grant is a fact only in the person's own stream, written in their name: a turn's note of that type gives nothing. */
function isOwn({ lane, actor }: Event, user: string): boolean {
  return lane === `policy:${user}` && userOf(actor) === user
}

/** What the lane itself wrote, not what an engine noted under that name. */
function isNoted(event: Event): boolean {
  return event.data['noted'] === true
}

/** Whether a turn that ends takes anything with it: an open approval, or a grant that was for this turn. */
export function hasOpen(db: Db, event: Event): boolean {
  const { turn } = event.data
  const open = db.get(`SELECT 1 FROM approvals WHERE lane = ? AND status = 'requested' LIMIT 1`, event.lane)
  return open !== undefined || (typeof turn === 'string' && db.get('SELECT 1 FROM approvals WHERE turn = ? LIMIT 1', turn) !== undefined)
}

function requested(db: Db, event: Event, t: TableNames): void {
  const fact = readRequested(event)
  if (fact === null || isNoted(event)) return
  const { approval, turn, due, request } = fact
  const { user, session } = request.where
  db.run(
    `INSERT OR IGNORE INTO ${t('approvals')} (id, user, session, lane, turn, hash, request, status, requested_at, expires_at)
     VALUES (?,?,?,?,?,?,?,'requested',?,?)`,
    ...[approval, user, session, event.lane, turn, request.hash, JSON.stringify(request)],
    event.at,
    due,
  )
}

/** What an approval is that no grant came of. */
const without = { answered: 'rejected', revoked: 'revoked', timeout: 'expired', held: 'expired', undeliverable: 'expired' } as const

/** Anything but a person's clear yes to what was offered is a no. */
function decided(db: Db, event: Event, t: TableNames): void {
  const fact = readDecided(event)
  const row =
    fact && db.get<{ request: string }>(`SELECT request FROM ${t('approvals')} WHERE id = ? AND status = 'requested'`, fact.approval)
  if (!row || !fact || isNoted(event)) return
  const { outcome, value, by } = fact.answer
  const request = readRequest(JSON.parse(row.request))
  const answer = outcome === 'answered' ? readAnswer(value) : null
  const given = { id: `grt_${fact.approval.slice(4)}`, by, at: event.at, approval: fact.approval }
  const grant = request && answer ? grantOf(request, answer, given) : null
  const status = grant !== null ? 'approved' : without[outcome]
  const sql = `UPDATE ${t('approvals')} SET status = ?, decided_by = ?, scope = ? WHERE id = ?`
  db.run(sql, status, outcome === 'answered' ? by : null, grant?.scope ?? null, fact.approval)
  if (grant !== null) addGrant(db, t, grant)
}

/** What was open is revoked; what was granted for this turn has ended with it. */
function turnOver(db: Db, event: Event, t: TableNames): void {
  const { turn } = event.data
  if (typeof turn !== 'string') return
  revokeOpen(db, t, { lane: event.lane, turn })
  db.run(
    `UPDATE ${t('grants')} SET expires_at = ?1 WHERE within = ?2 AND scope IN ('once', 'step') AND (expires_at IS NULL OR expires_at > ?1)`,
    event.at,
    turn,
  )
}

function revokeOpen(db: Db, t: TableNames, { lane, turn }: { readonly lane: string; readonly turn: string | null }): void {
  const where = `lane = ?1 AND (?2 IS NULL OR turn = ?2) AND status = 'requested'`
  db.run(`UPDATE ${t('approvals')} SET status = 'revoked' WHERE ${where}`, lane, turn)
}

type Columns = Pick<ApprovalRow, 'status' | 'scope'> & {
  readonly id: string
  readonly request: string
  readonly requested_at: number
  readonly expires_at: number
  readonly decided_by: string | null
}

export function approvalReads(db: Db): Pick<PolicyStore, 'approval' | 'approvals' | 'approvalsOf'> {
  return {
    async approval(id) {
      const row = db.get<Columns>('SELECT * FROM approvals WHERE id = ?', id)
      return row === undefined ? null : (rowsOf([row])[0] ?? null)
    },
    async approvals({ user, session, status }) {
      const sql = `SELECT * FROM approvals WHERE user = ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR status = ?3)
        ORDER BY requested_at DESC, id DESC LIMIT 1000`
      return rowsOf(db.all<Columns>(sql, user, session ?? null, status ?? null))
    },
    approvalsOf: async (turn, hash) => rowsOf(db.all<Columns>('SELECT * FROM approvals WHERE turn = ? AND hash = ?', turn, hash)),
  }
}

function rowsOf(rows: readonly Columns[]): readonly ApprovalRow[] {
  return rows.flatMap((row) => {
    const parsed: unknown = JSON.parse(row.request)
    const request = isObject(parsed) ? readRequest(parsed) : null
    if (request === null || !isId('apr', row.id)) return []
    const { status, scope } = row
    return [{ id: row.id, request, status, scope, requestedAt: row.requested_at, expiresAt: row.expires_at, decidedBy: row.decided_by }]
  })
}
