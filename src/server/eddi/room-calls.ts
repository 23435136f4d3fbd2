// What else EDDI's clients ask for: the parser, templates, which steps there are, memories, variables, secrets, past conversations.
//
// Y168  Of a secret only what is known about it is shown. What is not offered says so.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { canonicalRaw, readConfiguration } from '../../pipelines/configurations/read.ts'
import type { UserMemory } from '../../pipelines/memories/memories.ts'
import { compileParser } from '../../pipelines/parser/parser.ts'
import { secretNameOf } from '../../pipelines/references.ts'
import { compileTemplate } from '../../pipelines/template/template.ts'
import type { SecretInfo } from '../../secrets/secrets.ts'
import type { Endpoint } from '../endpoint.ts'
import { fresh, seen } from '../session-of.ts'
import { keepRow } from './kept.ts'
import { dictionariesOf, expressionsOf } from './parsing.ts'
import { type EddiCall, eddi, flag, objectIn, whole } from './route.ts'
import { storedFor } from './store-calls.ts'
import { inOrder, isOver, noteOf, postAndWait, stateOf, talkOf } from './talk.ts'
import { patienceOf, shown, talkFor } from './talk-calls.ts'

export const roomCalls: readonly Endpoint[] = [...toolCalls(), ...memoryCalls(), ...variableCalls(), ...secretCalls(), ...pastCalls()]

const stepTypes = [
  ...['ai.labs.parser', 'ai.labs.rules', 'ai.labs.property', 'ai.labs.httpcalls', 'ai.labs.mcpcalls', 'ai.labs.llm', 'ai.labs.rag'],
  ...['ai.labs.output', 'ai.labs.templating', 'steward.toolcalls', 'steward.commands'],
]

function toolCalls(): readonly Endpoint[] {
  return [
    eddi({
      method: 'POST',
      path: '/parser/:id',
      summary: 'What a parser makes of a text: its solutions, the best first',
      access: 'read',
      takesText: true,
      async run(call) {
        const { value } = await storedFor(call, 'parser')
        const input = typeof call.body === 'string' ? call.body : ''
        const config = readConfiguration('parser', canonicalRaw('parser', value).raw, 'lenient').value
        const dictionaries = await dictionariesOf(call, config)
        const parser = compileParser(config, (uri) => dictionaries.get(uri) ?? null)
        const given = { language: call.query['lang'] ?? 'en', temporary: [] }
        return { status: 200, body: parser.solutions(input.slice(0, mostInput), given).map((one) => ({ expressions: expressionsOf(one) })) }
      },
    }),
    eddi({
      method: 'POST',
      path: '/administration/preview/template',
      summary: 'A template, rendered with the data that is given',
      access: 'read',
      async run({ body }) {
        const { template, data = {}, sampleData } = objectIn(body, 'a template and its data')
        if (typeof template !== 'string') throw new InvalidInput('/template must be a text', { path: '/template' })
        const rendered = compileTemplate(template, { lenient: true }).render(objectIn(sampleData ?? data, 'the data'), previewing)
        return { status: 200, body: { rendered } }
      },
    }),
    eddi({
      method: 'GET',
      path: '/extensionstore/extensions',
      summary: 'Which steps a workflow may have',
      access: 'read',
      run: async () => ({
        status: 200,
        body: stepTypes.map((type) => ({ type: `eddi://${type}`, displayName: type.split('.').at(-1) ?? type })),
      }),
    }),
  ]
}

const mostInput = 10_000
const previewing = { uuid: () => '00000000-0000-4000-8000-000000000000' }

// ---- memories

function memoryCalls(): readonly Endpoint[] {
  const path = '/usermemorystore/memories/:userId'
  const all = async ({ hub, caller }: EddiCall) => {
    await fresh(hub)
    return hub.pipelines.memories.all(caller.user.name)
  }
  const list = (more: string, keep: (call: EddiCall) => (one: UserMemory) => boolean) =>
    eddi({
      method: 'GET',
      path: `${path}${more}`,
      summary: 'What is remembered of the person',
      access: 'read',
      run: async (call) => ({ status: 200, body: (await all(call)).filter(keep(call)).slice(0, whole(call, 'limit') ?? 1_000) }),
    })
  const has = (text: string | undefined) => (one: UserMemory) =>
    `${one.key} ${JSON.stringify(one.value)}`.toLowerCase().includes((text ?? '').toLowerCase())
  return [
    eddi({
      method: 'GET',
      path: `${path}/count`,
      summary: 'How much is remembered',
      access: 'read',
      run: async (call) => ({ status: 200, body: (await all(call)).length }),
    }),
    list('/search', ({ query }) => has(query['q'])),
    list(
      '/category/:category',
      ({ params }) =>
        (one) =>
          one.category === params['category'],
    ),
    list(
      '/key/:key',
      ({ params }) =>
        (one) =>
          one.key === params['key'],
    ),
    eddi({
      method: 'GET',
      path: `${path}/visible`,
      summary: 'What an agent sees of it',
      access: 'read',
      async run({ hub, caller, query }) {
        const groupIds = (query['groupId'] ?? '').split(',').filter((one) => one !== '')
        const of = { agentId: query['agentId'] ?? '', groupIds }
        return { status: 200, body: await hub.pipelines.memories.visible(caller.user.name, of) }
      },
    }),
    list('', () => () => true),
    eddi({
      method: 'DELETE',
      path: '/usermemorystore/memories/entry/:id',
      summary: 'Forgets one of them',
      access: 'documents',
      async run({ hub, caller, params }) {
        if (await hub.pipelines.memories.forget(caller.user.name, params['id'] ?? '')) return { status: 200, body: {} }
        throw new NotFound('nothing of that id is remembered')
      },
    }),
    eddi({
      method: 'GET',
      path: '/propertiesstore/properties/:userId',
      summary: 'The same by name',
      access: 'read',
      run: async (call) => ({ status: 200, body: Object.fromEntries((await all(call)).map(({ key, value }) => [key, value])) }),
    }),
  ]
}

// ---- variables and secrets

function variableCalls(): readonly Endpoint[] {
  const path = '/variablestore/variables/:tenant'
  const row = async ({ hub, caller, params }: EddiCall) => {
    const key = params['key'] ?? ''
    const value = new Map(Object.entries(await hub.pipelines.vars(caller.user.name))).get(key)
    if (value === undefined) throw new NotFound(`there is no variable ${JSON.stringify(key.slice(0, 128))}`)
    return { tenantId: params['tenant'] ?? '', key, value }
  }
  return [
    eddi({
      method: 'GET',
      path,
      summary: 'All variables',
      access: 'read',
      async run({ hub, caller, params }) {
        const all = Object.entries(await hub.pipelines.vars(caller.user.name))
        return { status: 200, body: all.map(([key, value]) => ({ tenantId: params['tenant'] ?? '', key, value })) }
      },
    }),
    eddi({
      method: 'GET',
      path: `${path}/:key`,
      summary: 'A variable',
      access: 'read',
      run: async (call) => ({ status: 200, body: await row(call) }),
    }),
    eddi({
      method: 'PUT',
      path: `${path}/:key`,
      summary: 'Sets a variable',
      access: 'documents',
      takesText: true,
      async run({ hub, caller, params, body }) {
        const key = params['key'] ?? ''
        if (!/^[A-Za-z0-9_.-]{1,128}$/.test(key)) throw new InvalidInput('a variable is called by 1 to 128 letters, digits, _ . or -')
        const value = typeof body === 'string' ? body : objectIn(body, 'a variable with its value')['value']
        if (typeof value !== 'string') throw new InvalidInput('/value must be a text', { path: '/value' })
        await keepRow(hub, caller, { table: 'variables', key, value })
        return { status: 200, body: { tenantId: params['tenant'] ?? '', key, value } }
      },
    }),
    eddi({
      method: 'DELETE',
      path: `${path}/:key`,
      summary: 'Takes a variable away',
      access: 'documents',
      async run(call) {
        const { key } = await row(call)
        await keepRow(call.hub, call.caller, { table: 'variables', key, value: null })
        return { status: 200, body: {} }
      },
    }),
  ]
}

function secretCalls(): readonly Endpoint[] {
  const path = '/secretstore/secrets/:tenant'
  const found = async ({ hub, params }: EddiCall): Promise<SecretInfo> => {
    const name = secretNameOf(params['key'] ?? '')
    const info = (await hub.secrets.list()).find((one) => one.name === name)
    if (info) return info
    throw new NotFound(`there is no secret ${JSON.stringify(name)}`)
  }
  return [
    eddi({
      method: 'GET',
      path,
      summary: 'Which secrets there are; never their values',
      access: 'secrets',
      run: async ({ hub, params }) => ({
        status: 200,
        body: (await hub.secrets.list()).map((one) => metadataOf(one, params['tenant'] ?? '')),
      }),
    }),
    eddi({
      method: 'GET',
      path: `${path}/:key`,
      summary: 'What is known of a secret',
      access: 'secrets',
      run: async (call) => ({ status: 200, body: metadataOf(await found(call), call.params['tenant'] ?? '') }),
    }),
    eddi({
      method: 'PUT',
      path: `${path}/:key`,
      summary: 'Keeps a secret, or another value of it',
      access: 'secrets',
      takesText: true,
      takesSecrets: true,
      async run({ hub, caller, params, body }) {
        const given: JsonObject = typeof body === 'string' ? { value: body } : objectIn(body, 'a secret with its value')
        const { value, allowedAgents } = given
        if (typeof value !== 'string' || value === '') throw new InvalidInput('/value must be a text that is not empty', { path: '/value' })
        const agents = Array.isArray(allowedAgents) && allowedAgents.length > 0 ? allowedAgents.map(String) : ['*']
        const info = await hub.secrets.set({ name: secretNameOf(params['key'] ?? ''), value, agents }, caller.actor)
        return { status: 201, body: { ...metadataOf(info, params['tenant'] ?? ''), reference: `\${vault:${info.name}}` } }
      },
    }),
    eddi({
      method: 'DELETE',
      path: `${path}/:key`,
      summary: 'Takes a secret away',
      access: 'secrets',
      async run(call) {
        await call.hub.secrets.remove((await found(call)).name, call.caller.actor)
        return { status: 200, body: {} }
      },
    }),
  ]
}

function metadataOf({ name, agents, createdAt, rotatedAt, lastUsedAt }: SecretInfo, tenantId: string): JsonObject {
  return { tenantId, keyName: name, allowedAgents: [...agents], createdAt, lastRotatedAt: rotatedAt, lastAccessedAt: lastUsedAt }
}

// ---- past conversations

const mostListed = 200

function pastCalls(): readonly Endpoint[] {
  const path = '/conversationstore/conversations'
  return [
    eddi({
      method: 'GET',
      path,
      summary: 'Own conversations with pipelines, newest first',
      access: 'read',
      run: async (call) => ({ status: 200, body: await listedTalks(call) }),
    }),
    ...['/simple/:id', '/:id'].map((more) =>
      eddi({
        method: 'GET',
        path: `${path}${more}`,
        summary: 'One of them',
        access: 'read',
        async run(call) {
          const talk = await talkFor(call)
          const all = {
            ...call,
            query: { returnCurrentStepOnly: 'false', ...(more === '/:id' ? { returnDetailed: 'true' } : {}), ...call.query },
          }
          return { status: 200, body: await shown(all, talk, await stateOf(call.hub, talk)) }
        },
      }),
    ),
    eddi({
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'Puts it away',
      access: 'chat',
      async run(call) {
        const { hub, caller } = call
        if (flag(call, 'deletePermanently', false))
          throw new InvalidInput('a conversation is put away, and stays in the journal: leave deletePermanently out')
        const { session } = await talkFor(call)
        await seen(hub, hub.scopes.sessions.archive(session, caller.actor))
        return { status: 200, body: {} }
      },
    }),
    eddi({
      method: 'POST',
      path: `${path}/end`,
      summary: 'Ends those that are named',
      access: 'chat',
      async run(call) {
        const { hub, caller, body } = call
        const ids = Array.isArray(body)
          ? body.map((one: unknown) => (typeof one === 'string' ? one : String(objectIn(one, 'a conversation')['conversationId'])))
          : []
        if (ids.length === 0 || ids.length > mostListed)
          throw new InvalidInput(`the body must be a list of 1 to ${mostListed} conversations`)
        for (const id of ids) {
          const talk = await talkOf(hub, caller, id)
          if (!isOver(talk))
            await inOrder(talk, () => postAndWait(hub, caller, talk, { body: noteOf({ do: 'end' }), key: null, ...patienceOf(call) }))
        }
        return { status: 200, body: {} }
      },
    }),
  ]
}

async function listedTalks(call: EddiCall): Promise<readonly JsonObject[]> {
  const { hub, caller, query } = call
  await fresh(hub)
  const skip = whole(call, 'index', 0) ?? 0
  const most = Math.min(whole(call, 'limit') ?? 20, mostListed)
  const wanted: JsonObject[] = []
  let after: string | undefined
  do {
    const page = await hub.scopes.sessions.list({ user: caller.user.name, limit: mostListed, ...(after === undefined ? {} : { after }) })
    for (const { id, lastActivityAt } of page.items) {
      const talk = isId('ses', id) ? await talkOf(hub, caller, id).catch(() => null) : null
      if (talk === null) continue
      const { agent, session } = talk
      const conversationState = await stateOf(hub, talk)
      const one = {
        conversationId: session,
        agentId: agent.id,
        agentVersion: agent.version,
        environment: agent.environment,
        conversationState,
      }
      const { conversationId, agentId, agentVersion } = query
      if (conversationId && conversationId !== session) continue
      if (agentId && agentId !== agent.id) continue
      if (agentVersion && agentVersion !== String(agent.version)) continue
      if (query['conversationState'] && query['conversationState'] !== conversationState) continue
      wanted.push({ ...one, lastModifiedOn: Date.parse(lastActivityAt) })
      if (wanted.length >= skip + most) return wanted.slice(skip)
    }
    after = page.next ?? undefined
  } while (after !== undefined)
  return wanted.slice(skip)
}
