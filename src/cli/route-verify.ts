// The envelope that a text to be routed came with: looked at here, where its artifact lies, and handed on with the text.
import { basename } from 'node:path'
import { isObject } from '../base/json.ts'
import { firstPayload, gatePlaces } from '../work/envelope/places.ts'
import { lookAt } from './handoff.ts'
import { type Result, WrongUsage } from './output.ts'

type Verify = { readonly envelope: string; readonly payload: string | null; readonly mode: 'warn' | 'block'; readonly name: string }
export type Incoming = { readonly verify?: Verify } | { readonly refused: Result }

/** In bytes: a request has a limit, and what is longer is verified with `steward handoff verify`. */
const largestArtifact = 500_000

/** {} without an envelope. `refused`: it does not fit, and the text is not routed; the exit code is that of `handoff verify`. */
export function incomingIn({ verify, mode }: { readonly verify?: string; readonly mode?: string }): Incoming {
  if (verify === undefined) {
    if (mode !== undefined) throw new WrongUsage('--mode is for --verify ENVELOPE.')
    return {}
  }
  const looked = lookAt(verify, mode)
  const { verdict, why, exit } = looked.looked
  if (exit !== 0) {
    const value = { file: looked.file, mode: looked.mode, verdict, why, routed: false }
    return { refused: { value, text: `${verdict}: ${why}\nNothing is routed.`, code: exit } }
  }
  return { verify: { envelope: looked.text, payload: artifactOf(looked), mode: looked.mode, name: basename(looked.file) } }
}

function artifactOf({ file, text, payload }: ReturnType<typeof lookAt>): string | null {
  const bytes = firstPayload(gatePlaces(pathIn(text), basename(file)), payload)
  if (bytes === null) return null
  const instead = `Verify it with: steward handoff verify ${JSON.stringify(file)}`
  if (bytes.byteLength > largestArtifact) throw new WrongUsage(`--verify: the artifact is larger than ${largestArtifact} bytes. ${instead}`)
  try {
    // The bytes count: a mark at the start stays.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new WrongUsage(`--verify: the artifact is no text in UTF-8. ${instead}`)
  }
}

/** The gate has read it. */
function pathIn(envelope: string): string {
  const read: unknown = JSON.parse(envelope)
  const artifact = isObject(read) ? read.artifact : undefined
  return isObject(artifact) && typeof artifact.path === 'string' ? artifact.path : ''
}
