// Approvals, grants and taint in SQLite (policy/policy-store.ts): one projection of lanes' approvals, turns' notes and the policy's stream.
import type { PolicyStore } from '../../policy/policy-store.ts'
import { approvalHandlers, approvalReads, approvalTables, hasOpen } from './policy-approvals.ts'
import { grantReads } from './policy-grants.ts'
import { taintHandlers, taintReads, taintTables } from './policy-taint.ts'
import { type ProjectionSpec, sqliteProjection } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const policySpec: ProjectionSpec = {
  name: 'policy',
  version: 2,
  tables: { ...approvalTables, ...taintTables },
  on: { ...approvalHandlers, ...taintHandlers },
  matters: { 'turn-settled': hasOpen, 'turn-stopping': hasOpen, 'process-closed': hasOpen },
}

export function sqlitePolicy(store: SqliteStore): PolicyStore {
  return { projection: sqliteProjection(store, policySpec), ...approvalReads(store.db), ...grantReads(store.db), ...taintReads(store.db) }
}
