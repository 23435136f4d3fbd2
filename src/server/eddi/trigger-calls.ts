// Intents: which agents answer to one, and the one conversation that a person has with it.
//
// Y165  A person has one conversation for an intent; one that has ended is begun anew, with an agent that is picked from those deployed.
import { randomInt } from 'node:crypto'
import { Conflict, InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { keepRow, rowsOf } from './kept.ts'
import { type EddiCall, eddi, environmentIn, isJson, locationOf, objectIn } from './route.ts'
import { begin } from './start.ts'
import { contextOf, isOver, stateOf, type Talk, talkOf } from './talk.ts'
import { answered, cancel, canDo, patienceOf, shown, steered } from './talk-calls.ts'

const mostDeployments = 100

type Deployed = { readonly agentId: string; readonly environment: 'production' | 'test'; readonly context: JsonObject }

/** Under the path of each generation. */
const stores = ['/AgentTriggerStore/agenttriggers', '/agenttriggerstore/agenttriggers', '/bottriggerstore/bottriggers'] as const

export const triggerCalls: readonly Endpoint[] = [...stores.flatMap(storeOf), ...managedCalls()]

function storeOf(path: string): readonly Endpoint[] {
  const write = (call: EddiCall, isNew: boolean) => written(call, { path, isNew })
  return [
    eddi({
      method: 'GET',
      path,
      summary: 'All intents',
      access: 'read',
      run: async ({ hub, caller }) => ({ status: 200, body: [...(await rowsOf(hub, caller, 'triggers')).values()] }),
    }),
    eddi({
      method: 'GET',
      path: `${path}/:intent`,
      summary: 'The agents of an intent',
      access: 'read',
      run: async (call) => ({ status: 200, body: await triggerOf(call) }),
    }),
    eddi({ method: 'POST', path, summary: 'A new intent', access: 'documents', run: (call) => write(call, true) }),
    eddi({
      method: 'PUT',
      path: `${path}/:intent`,
      summary: 'Other agents for it',
      access: 'documents',
      run: (call) => write(call, false),
    }),
    eddi({
      method: 'DELETE',
      path: `${path}/:intent`,
      summary: 'Takes the intent away',
      access: 'documents',
      async run(call) {
        await triggerOf(call)
        await keepRow(call.hub, call.caller, { table: 'triggers', key: call.params['intent'] ?? '', value: null })
        return { status: 200, body: {} }
      },
    }),
  ]
}

async function written(call: EddiCall, { path, isNew }: { readonly path: string; readonly isNew: boolean }): Promise<Reply> {
  const { hub, caller, params } = call
  const given = objectIn(call.body, 'an intent and its agentDeployments')
  const intent = params['intent'] ?? given['intent']
  if (typeof intent !== 'string' || !/^[^\s/]{1,128}$/.test(intent))
    throw new InvalidInput('/intent must be 1 to 128 characters without spaces and slashes', { path: '/intent' })
  const list = given['agentDeployments'] ?? given['botDeployments']
  const agentDeployments = deploymentsIn(list).map(({ agentId, environment, context }) => ({
    environment,
    agentId,
    initialContext: context,
  }))
  if (isNew && (await rowsOf(hub, caller, 'triggers')).has(intent))
    throw new Conflict(`there is an intent ${JSON.stringify(intent)} already`)
  await keepRow(hub, caller, { table: 'triggers', key: intent, value: { intent, agentDeployments } })
  return { status: 200, body: {}, headers: { Location: locationOf(call, `${path}/${encodeURIComponent(intent)}`) } }
}

function deploymentsIn(list: unknown): readonly Deployed[] {
  const wrong = `/agentDeployments must be 1 to ${mostDeployments} objects like {"environment": "production", "agentId": "..."}`
  if (!Array.isArray(list) || list.length === 0 || list.length > mostDeployments)
    throw new InvalidInput(wrong, { path: '/agentDeployments' })
  return list.map((one: unknown) => {
    const given = isJson(one) ? one : {}
    const agentId = given['agentId'] ?? given['botId']
    if (typeof agentId !== 'string' || agentId === '') throw new InvalidInput(wrong, { path: '/agentDeployments' })
    const { environment, initialContext } = given
    return {
      agentId,
      environment: environmentIn(typeof environment === 'string' ? environment : undefined),
      context: contextOf(initialContext),
    }
  })
}

async function triggerOf({ hub, caller, params }: EddiCall): Promise<JsonObject> {
  const intent = params['intent'] ?? ''
  const found = (await rowsOf(hub, caller, 'triggers')).get(intent)
  if (found) return found
  throw new NotFound(`there is no intent ${JSON.stringify(intent.slice(0, 128))}`)
}

// ---- conversations

function managedCalls(): readonly Endpoint[] {
  const path = '/agents/managed/:intent/:userId'
  return [
    eddi({
      method: 'POST',
      path,
      summary: 'Says something in the conversation of that intent, which begins when there is none',
      access: 'chat',
      takesText: true,
      takesSecrets: true,
      run: async (call) => answered(call, await managed(call)),
    }),
    eddi({
      method: 'GET',
      path,
      summary: 'The conversation of that intent',
      access: 'chat',
      async run(call) {
        const talk = await managed(call)
        return { status: 200, body: await shown(call, talk, await stateOf(call.hub, talk)) }
      },
    }),
    eddi({
      method: 'POST',
      path: `${path}/endConversation`,
      summary: 'Ends it; the next word begins another',
      access: 'chat',
      async run(call) {
        const talk = await known(call)
        await cancel(call, talk)
        return steered(call, talk, { do: 'end' })
      },
    }),
    ...(['undo', 'redo'] as const).flatMap((word) => [
      eddi({
        method: 'GET',
        path: `${path}/${word}`,
        summary: `Whether there is something to ${word}`,
        access: 'read',
        run: async (call) => ({ status: 200, body: canDo(await known(call), word) }),
      }),
      eddi({
        method: 'POST',
        path: `${path}/${word}`,
        summary: word === 'undo' ? 'Takes the last step back' : 'Brings it back',
        access: 'chat',
        async run(call) {
          const talk = await known(call)
          if (!canDo(talk, word)) throw new Conflict(`there is nothing to ${word}`, { code: `no_${word}` })
          return steered(call, talk, { do: word })
        },
      }),
    ]),
    eddi({
      method: 'GET',
      path: '/userconversationstore/userconversations/:intent/:userId',
      summary: 'Which conversation that is',
      access: 'read',
      run: async (call) => ({ status: 200, body: await rowFor(call) }),
    }),
    eddi({
      method: 'DELETE',
      path: '/userconversationstore/userconversations/:intent/:userId',
      summary: 'Forgets which conversation that is; the next word begins another',
      access: 'chat',
      async run(call) {
        await rowFor(call)
        await keepRow(call.hub, call.caller, { table: 'managed', key: keyFor(call), value: null })
        return { status: 200, body: {} }
      },
    }),
  ]
}

function keyFor({ params }: EddiCall): string {
  return JSON.stringify([params['intent'] ?? '', params['userId'] ?? ''])
}

async function rowFor(call: EddiCall): Promise<JsonObject> {
  const row = (await rowsOf(call.hub, call.caller, 'managed')).get(keyFor(call))
  if (row) return row
  throw new NotFound('there is no conversation for that intent and user')
}

async function known(call: EddiCall): Promise<Talk> {
  const { conversationId } = await rowFor(call)
  return talkOf(call.hub, call.caller, String(conversationId))
}

async function managed(call: EddiCall): Promise<Talk> {
  const { hub, caller, params } = call
  const row = (await rowsOf(hub, caller, 'managed')).get(keyFor(call))
  const before = row ? await talkOf(hub, caller, String(row['conversationId'])).catch(() => null) : null
  if (before && !isOver(before)) return before
  const { intent, agentDeployments } = await triggerOf(call)
  const list = deploymentsIn(agentDeployments)
  const picked = list[randomInt(list.length)]
  if (!picked) throw new NotFound(`the intent ${JSON.stringify(intent)} has no agents`)
  const { agentId, environment, context } = picked
  const conversationId = await begin(hub, caller, { agentId, environment, context, key: null, ...patienceOf(call) })
  const value = { intent: String(intent), userId: params['userId'] ?? '', environment, agentId, conversationId }
  await keepRow(hub, caller, { table: 'managed', key: keyFor(call), value })
  return talkOf(hub, caller, conversationId)
}
