// A say whose turn is watched while it runs (SSE): its tasks, the words of a model, calls, and at the end the conversation.
//
// Y162  Words are those of the live channel; what ends the stream is done, awaiting_approval or error.

import { messageOf, StewardError } from '../../base/errors.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { Told } from '../../engines/pipeline/tells.ts'
import type { LiveFrame } from '../../lanes/lanes.ts'
import type { Endpoint } from '../endpoint.ts'
import { type EddiCall, eddi } from './route.ts'
import { heardSay } from './say.ts'
import { inOrder, isOver, postAndWait, refuseOwn, stateAfter, type Talk, talkOf } from './talk.ts'
import { gone, patienceOf, refuseUnready, shown, talkFor } from './talk-calls.ts'

export const streamCalls: readonly Endpoint[] = [
  eddi({
    method: 'POST',
    path: '/agents/:id/stream',
    summary: 'Says something; the turn is told while it runs',
    access: 'chat',
    takesText: true,
    takesSecrets: true,
    async run(call) {
      const talk = await talkFor(call)
      refuseOwn(call.caller, talk)
      return { stream: streamed(call, talk) }
    },
  }),
]

type Send = (type: string, data: JsonObject) => void

function streamed(call: EddiCall, talk: Talk): Response {
  const { hub, caller, signal } = call
  const encoder = new TextEncoder()
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => stop.abort()
        const send: Send = (type, data) => {
          if (stop.signal.aborted) return
          controller.enqueue(encoder.encode(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`))
          if ((controller.desiredSize ?? 0) < 0) end()
        }
        const close = () => {
          end()
          hub.streams.delete(end)
          letGo()
          controller.close()
        }
        hub.streams.add(end)
        const letGo = hub.credentials.hold(caller.credential, end)
        signal.addEventListener('abort', end)
        void watched(call, talk, { send, signal: stop.signal }).finally(close)
      },
      cancel: () => stop.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: hub.limits.readerBytes }),
  )
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' } })
}

type Watching = { readonly send: Send; readonly signal: AbortSignal }

/** Never throws: what goes wrong is the last that is sent. */
async function watched(call: EddiCall, talk: Talk, { send, signal }: Watching): Promise<void> {
  try {
    await inOrder(talk, () => sayAndWatch(call, talk, { send, signal }))
  } catch (thrown) {
    const isKnown = thrown instanceof StewardError
    if (!isKnown) call.hub.log('error', 'a stream failed', { error: messageOf(thrown) })
    const code = isKnown ? (codes[thrown.code] ?? thrown.code) : 'internal'
    send('error', { code, message: isKnown ? thrown.message : 'The hub could not do this.' })
  }
}

/** Words of EDDI's for ours. */
const codes: Readonly<Record<string, string>> = { not_ready: 'agent_not_ready', too_large: 'invalid', full: 'quota_exceeded' }

async function sayAndWatch(call: EddiCall, talk: Talk, { send, signal }: Watching): Promise<void> {
  const { hub, caller, key } = call
  const now = await talkOf(hub, caller, talk.session)
  if (isOver(now)) return send('error', { code: 'conversation_ended', message: gone })
  await refuseUnready(call, now)
  const body = await heardSay(call, now)
  const unhear = hub.pipelines.tells.listen(talk.process, (told) => tell(told, send))
  const unlisten = hub.feed.session(talk.session, { event: () => {}, live: (frame) => word(frame, talk, send) })
  try {
    const end = await postAndWait(hub, caller, now, { body, key, ...patienceOf(call), signal })
    const after = await talkOf(hub, caller, talk.session)
    const snapshot = await shown(call, after, await stateAfter(hub, after, end))
    if (end === 'late') return send('error', { code: 'timeout', message: 'the turn goes on, and nobody waits for it here any more' })
    // A pause of the rules has told its reason itself; a call that needs a yes has not.
    if (end === 'waits') return send('awaiting_approval', { conversationId: talk.session, ...snapshot })
    send('done', snapshot)
  } finally {
    unhear()
    unlisten()
  }
}

const told: ReadonlySet<string> = new Set([
  'task_start',
  'task_complete',
  'task_failed',
  'tool_call',
  'cascade_step_start',
  'cascade_escalation',
])

function tell({ type, data }: Told, send: Send): void {
  if (told.has(type) && isJsonObject(data)) send(type, data)
}

function word(frame: LiveFrame, { process }: Talk, send: Send): void {
  if (frame.kind === 'words' && frame.process === process) send('token', { token: frame.text })
}
