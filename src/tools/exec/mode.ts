// Whether commands need a sandbox: the setting `exec.sandbox`. To run them without one is the owner's decision alone.

import type { ProcessInfo } from '../../lanes/engine.ts'
import { userActor } from '../../protocol/actor.ts'
import { homeOf, tenantProject, userOfHome } from '../../scopes/names.ts'
import type { Settings } from '../../scopes/scopes.ts'

/** required: no command runs without a sandbox. preferred: without one it runs bare, and a person is asked. off: always bare. */
export const sandboxModes = ['required', 'preferred', 'off'] as const
export type SandboxMode = (typeof sandboxModes)[number]

export const sandboxSetting = 'exec.sandbox'

/** Of the project, else of the owner's home, else of all. What is not set, wrong, or set by somebody else counts as required. */
export function sandboxModeOf(
  settings: Pick<Settings, 'versions'>,
  owner: string,
): (process: Pick<ProcessInfo, 'project'>) => Promise<SandboxMode> {
  return async ({ project }) => {
    const places = [
      { level: userOfHome(project) === null ? 'project' : 'home', scope: project },
      { level: 'home', scope: homeOf(owner) },
      { level: 'tenant', scope: tenantProject },
    ] as const
    for (const { level, scope } of places) {
      const set = (await settings.versions(sandboxSetting, level, scope)).at(-1)
      if (set === undefined || set.value === null) continue
      return set.by === userActor(owner) ? (sandboxModes.find((mode) => mode === set.value) ?? 'required') : 'required'
    }
    return 'required'
  }
}
