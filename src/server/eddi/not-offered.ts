// What EDDI has and this hub does not: asked for, it says so in a sentence.
import { NotFound } from '../../base/errors.ts'
import type { Endpoint, Method } from '../endpoint.ts'
import { eddi } from './route.ts'

const paths: Readonly<Record<string, string>> = {
  '/administration/coordinator/*': 'the coordinator is not administered here: conversations are lanes of the hub, see /api/processes',
  '/administration/quotas/*': 'quotas are not offered: set budgets by /api/budgets',
  '/administration/logs/*': 'logs are not offered here: the hub writes its own',
  '/administration/orphans': 'orphans are not offered: DELETE with cascade takes away what nothing uses',
  '/llm/tools/*': 'telemetry of tools is not offered here: turns are read by /api/turns',
  '/integrations/slack/*': 'Slack is not offered',
  '/channelstore/*': 'channels are not offered',
  '/groupstore/*': 'group conversations are not offered',
  '/groups/*': 'group conversations are not offered',
  '/schedulestore/*': 'schedules are not offered here',
  '/auditstore/*': 'the audit ledger is not offered here: the journal has everything',
  '/admin/gdpr/*': 'this is not offered here',
  '/a2a/*': 'A2A is not offered',
}
const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const notOffered: readonly Endpoint[] = Object.entries(paths).flatMap(([path, why]) =>
  methods.map((method) =>
    eddi({
      method,
      path,
      summary: 'Not offered',
      access: 'person',
      takesText: true,
      async run() {
        throw new NotFound(why)
      },
    }),
  ),
)
