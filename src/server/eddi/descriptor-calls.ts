// Names and descriptions of configurations, of all stores at one address.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { Kind } from '../../pipelines/configuration.ts'
import type { Stored } from '../../pipelines/configurations/store.ts'
import { allKinds, refIn } from '../../pipelines/configurations/uri.ts'
import type { Endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { changeIn, descriptorOf } from './descriptor.ts'
import { type EddiCall, eddi, placeOf, whole, writerOf } from './route.ts'
import { listed } from './store-calls.ts'

const path = '/descriptorstore/descriptors'

export const descriptorCalls: readonly Endpoint[] = [
  eddi({
    method: 'GET',
    path,
    summary: 'Descriptors of a type, as in ai.labs.rules',
    access: 'read',
    run: (call) => listed(call, kindIn(call.query['type'])),
  }),
  ...['', '/simple'].map((more) =>
    eddi({
      method: 'GET',
      path: `${path}/:id${more}`,
      summary: 'The descriptor of a configuration',
      access: 'read',
      run: async (call) => ({ status: 200, body: descriptorOf((await foundBy(call)).descriptor) }),
    }),
  ),
  eddi({
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Another name or description',
    access: 'documents',
    async run(call) {
      const { ref } = await foundBy(call)
      const made = await call.hub.pipelines.configurations.describe(ref, changeIn(call.body), writerOf(call.caller))
      return { status: 200, body: descriptorOf(made) }
    },
  }),
]

function kindIn(type: string | undefined): Kind {
  const kind = type === undefined ? undefined : refIn(`eddi://${type}/x/y/aaaaaaaaaaaaaaaaaaaaaaaa`)?.kind
  if (kind) return kind
  throw new InvalidInput(`type must be a type of configuration, as in ai.labs.agent`, { path: 'type' })
}

/** Ids are one name space: the store that has it. */
async function foundBy(call: EddiCall): Promise<Stored> {
  await fresh(call.hub)
  const id = call.params['id'] ?? ''
  const version = whole(call, 'version')
  for (const kind of allKinds) {
    const found = await call.hub.pipelines.configurations.read(
      { kind, id, ...(version === undefined ? {} : { version }) },
      placeOf(call.caller),
    )
    if (found) return found
  }
  throw new NotFound(`there is no configuration ${JSON.stringify(id.slice(0, 64))}`)
}
