// Which tools a turn is given: what the agent's file says, and what it says for the client that the person speaks through.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isId, type SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { type Bench, openBench } from './bench.ts'

let model: ScriptedModel
let bench: Bench
beforeEach(async () => {
  model = await startScriptedModel({ otherwise: () => ({ text: 'Done.' }) })
  bench = await openBench({ url: model.url })
  await bench.scopes.projects.create({ name: 'post' }, 'user:ada')
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

async function agent(front: string): Promise<void> {
  const text = `---\nname: mailer\nengine: quick\npledge: [mail.send]\n${front}\n---\nYou write.`
  await bench.scopes.documents.write({ path: 'agents/mailer.md', level: 'tenant', scope: '_tenant', text }, 'user:ada')
}

async function session(profile: string): Promise<SessionId> {
  const { value } = await bench.scopes.sessions.create({ user: 'ada', project: 'post', agent: 'mailer', profile }, 'user:ada')
  if (!isId('ses', value.id)) throw new Error('no id')
  return value.id
}

/** Names of the tools that the model is given with their schemas. */
async function given(at: SessionId): Promise<readonly string[]> {
  const turns = (await bench.events('turn-settled')).length
  await bench.say(at, 'hello')
  await bench.until('turn-settled', () => true, turns + 1)
  return model.requests.at(-1)?.body.tools?.map((tool) => tool.function.name) ?? []
}

test('[T1, T9] what a file says for a client wins there, list by list, and counts nowhere else', async () => {
  await agent('tools: {remove: [page]}\nprofiles: {mobile: {tools: {remove: [send]}}, web: {tools: {defer: [send]}}}')
  const mobile = await given(await session('mobile'))
  expect([mobile.includes('send'), mobile.includes('page')]).toEqual([false, true])
  const terminal = await given(await session('terminal'))
  expect([terminal.includes('send'), terminal.includes('page')]).toEqual([true, false])
  const web = await given(await session('web'))
  expect([web.includes('send'), web.includes('page')]).toEqual([false, false])
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('- send: Sends a mail.')
})

test('[T1, T9] who comes by another client has the tools of that one from the next turn on', async () => {
  await agent('profiles: {mobile: {tools: {remove: ["@write"]}}}')
  const at = await session('terminal')
  expect(await given(at)).toContain('send')
  await bench.scopes.sessions.connected(at, 'phone', { profile: 'mobile' })
  expect(await given(at)).not.toContain('send')
  model.script({ calls: [{ name: 'send', input: { to: 'bob' } }] })
  await given(at)
  expect(bench.world.sent).toEqual([])
})
