// Grants: how they are kept and read.
import type { Grant } from '../../policy/decision.ts'
import type { PolicyStore } from '../../policy/policy-store.ts'
import type { Db } from './db.ts'
import type { TableNames } from './projection.ts'

export function addGrant(db: Db, t: TableNames, grant: Grant): void {
  const { id, user, subject, capability, resource, scope, within, taint, maxRisk, createdAt, expiresAt, revokedAt, approval } = grant
  db.run(
    `INSERT OR IGNORE INTO ${t('grants')} (id, user, subject, capability, resource, scope, within, taint, max_risk, created_at, expires_at,
      revoked_at, approval) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    ...[id, user, subject, capability, resource, scope, within, taint, maxRisk],
    ...[createdAt, expiresAt, revokedAt],
    approval,
  )
}

const fields = `id, user, subject, capability, resource, scope, within, taint, max_risk AS maxRisk, created_at AS createdAt,
  expires_at AS expiresAt, revoked_at AS revokedAt, approval`
const live = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)'

export function grantReads(db: Db): Pick<PolicyStore, 'grant' | 'grants' | 'grantsFor'> {
  return {
    grant: async (id) => db.get<Grant>(`SELECT ${fields} FROM grants WHERE id = ?`, id) ?? null,
    grants: async ({ user, now, ended }) =>
      db.all<Grant>(
        `SELECT ${fields} FROM grants WHERE user = ?1 AND (?3 = 1 OR (${live} AND scope <> 'once')) ORDER BY created_at DESC, id DESC LIMIT 1000`,
        user,
        now,
        ended ? 1 : 0,
      ),
    grantsFor: async ({ user, project, turn, run }, now) =>
      db.all<Grant>(
        `SELECT ${fields} FROM grants WHERE user = ?1 AND ${live} AND scope <> 'once' AND (within IS NULL OR within IN (?3, ?4, ?5))
         ORDER BY id`,
        user,
        now,
        project,
        turn,
        run,
      ),
  }
}
