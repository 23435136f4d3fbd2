// The permission mode of a session: the innermost word of process, project, person and tenant.
import { homeOf, tenantProject, userOfHome } from '../scopes/names.ts'
import type { SettingPlace, Settings } from '../scopes/scopes.ts'
import { type PermissionMode, permissionModes, type Where } from './decision.ts'

export const modeKey = 'policy.mode'

/** `ask` where nobody said anything. A value that is no mode counts as read-only: it was meant to say something. */
export async function modeOf(
  settings: Pick<Settings, 'versions'>,
  where: Pick<Where, 'user' | 'project' | 'process'>,
): Promise<PermissionMode> {
  for (const { level, scope } of placesOf(where)) {
    const value = (await settings.versions(modeKey, level, scope)).at(-1)?.value ?? null
    if (value !== null) return permissionModes.find((mode) => mode === value) ?? 'read-only'
  }
  return 'ask'
}

function placesOf({ user, project, process }: Pick<Where, 'user' | 'project' | 'process'>): readonly SettingPlace[] {
  const own = userOfHome(project) === null ? 'project' : 'home'
  return [
    { level: 'process', scope: process },
    { level: own, scope: project },
    { level: 'home', scope: homeOf(user) },
    { level: 'tenant', scope: tenantProject },
  ]
}
