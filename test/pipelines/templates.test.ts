import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HubTalk, openHubTalk } from './hub-talk.ts'

let talk: HubTalk
beforeAll(async () => {
  talk = await openHubTalk()
})
afterAll(() => talk?.close())

async function made(template: string, name: string): Promise<void> {
  const { status, text } = await talk.client.ask('POST', '/api/pipelines/new', { template, name, deploy: 'production' })
  expect([status, text]).toEqual([201, expect.any(String)])
}

async function play(agent: string, turns: readonly (readonly [string, RegExp])[]): Promise<void> {
  const session = await talk.open(agent)
  for (const [text, wanted] of turns) expect((await talk.say(session, text)).text, text).toMatch(wanted)
}

test('[Y201, Y202] the form checks each answer, lets it be changed, and keeps it once', async () => {
  await made('form', 'Party list')
  const { json } = await talk.client.ask('GET', '/api/documents/agents/party-list.md')
  expect(json.text).toContain('\npledge: ["documents.write"]\n')
  await play('party-list', [
    ['hi', /What is your name\?/],
    ['x', /at least two letters/],
    ['Ada Lovelace', /Which address/],
    ['my address is ada@example.org', /the address alone/],
    ['ada@example.org', /How many guests/],
    ['we are 3', /a number from 1 to 20/],
    ['30', /a number from 1 to 20/],
    ['3', /anything that we should know/],
    ['We are vegetarian, no nuts, please stop the music', /Remark: We are vegetarian, no nuts, please stop the music/],
    ['change email', /Which address/],
    ['ada.l@example.org', /Address: ada\.l@example\.org/],
    ['no', /What shall be changed/],
    ['change guests', /How many guests/],
    ['4', /Guests: 4/],
    ['Yes, send it', /it is kept/],
    ['hello', /another registration/],
    ['yes', /another registration/],
    ['start over', /What is your name/],
    ['cancel', /Nothing was kept/],
  ])
  const kept = await talk.client.ask('GET', '/api/documents/lists/registrations.yaml')
  expect(kept.json.text.match(/Ada Lovelace/g)).toHaveLength(1)
})

test('[Y201] the list of answers finds a question by its words, offers what is near, and talks a little', async () => {
  await made('faq', 'Shop FAQ')
  await play('shop-faq', [
    ['hello', /Hello|Good day/],
    ['when are you open?', /9 to 18/],
    ['whre is my order?', /link that shows/],
    ['how can I pay?', /By card/],
    ['who are you?', /list of answers/],
    ['help', /know best/],
    ['qqqq zzzz', /no answer to that/],
    ['thanks', /welcome|pleasure/],
    ['bye', /Goodbye/],
  ])
})
