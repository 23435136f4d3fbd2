/** What calls of models were given, as their manifests stand in the records of their steps. */
import type { Manifest } from '../../src/context/manifest.ts'
import type { Event } from '../../src/protocol/event.ts'

/** In the order of the calls. Throws for a call whose step recorded none. */
export function givenIn(manifests: readonly Event[], steps: readonly Event[]): readonly Manifest[] {
  const key = ({ turn }: Event['data'], step: unknown) => `${turn} ${step}`
  const known = new Map(steps.map(({ data }) => [key(data, data['name']), data['value'] as unknown as { given?: Manifest } | undefined]))
  return manifests.map(({ data }) => {
    const given = known.get(key(data, data['step']))?.given
    if (!given) throw new Error(`the step ${data['step']} has no manifest`)
    return given
  })
}
