// The routes of EDDI's own clients, below /eddi: same methods, queries, bodies and status codes, over the hub's own rooms.
// Owns: translating both ways. Leaves who may to caller.ts and guard.ts, conversations to the engine, configurations to pipelines.
// They are not in openapi.json: their contract is EDDI's, and programs that know it bring it along.
import type { Endpoint } from '../endpoint.ts'
import { deployCalls } from './deploy-calls.ts'
import { descriptorCalls } from './descriptor-calls.ts'
import { hitlCalls } from './hitl-calls.ts'
import { notOffered } from './not-offered.ts'
import { ragCalls } from './rag-calls.ts'
import { roomCalls } from './room-calls.ts'
import { setupCalls } from './setup-calls.ts'
import { storeCalls } from './store-calls.ts'
import { streamCalls } from './stream-calls.ts'
import { talkCalls } from './talk-calls.ts'
import { transferCalls } from './transfer-calls.ts'
import { triggerCalls } from './trigger-calls.ts'

/** What has a fixed path stands before what has a name in its place. */
export const eddiCalls: readonly Endpoint[] = [
  ...hitlCalls,
  ...triggerCalls,
  ...streamCalls,
  ...talkCalls,
  ...deployCalls,
  ...ragCalls,
  ...storeCalls,
  ...descriptorCalls,
  ...setupCalls,
  ...roomCalls,
  ...transferCalls,
  ...notOffered,
]
