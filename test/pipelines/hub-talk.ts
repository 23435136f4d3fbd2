// A person at a real hub over HTTP: opens sessions, says something, and reads what came back with its options.
import { type Client, type Found, openClient } from './eddi-client.ts'

export type Heard = {
  /** Lines of the assistant since the person spoke, one below the other. */
  readonly text: string
  /** Of the last of these lines. */
  readonly options: readonly string[]
  /** A question that waits for the person: an approval perhaps. */
  readonly waiting: string
}

export type HubTalk = {
  readonly client: Client
  open(agent?: string): Promise<string>
  say(session: string, text: string): Promise<Heard>
  /** Answers what waits, with one of its options or in words, and gives what came then. */
  decide(session: string, decision: 'allow' | 'deny'): Promise<Heard>
  document(path: string): Promise<string | null>
  close(): Promise<void>
}

const patience = { headers: { prefer: 'wait=20' } }

export async function openHubTalk(exempt: readonly string[] = []): Promise<HubTalk> {
  const client = await openClient(exempt)
  const ok = async (method: string, path: string, body?: unknown, asking?: { headers: Record<string, string> }): Promise<Found> => {
    const { status, json, text } = await client.ask(method, path, body, asking)
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json
  }
  const since = async (session: string, count: number): Promise<Heard> => {
    const { items } = await ok('GET', `/api/sessions/${session}/messages?limit=200`)
    const lines = items.slice(count).filter((one: Found) => one.role === 'assistant')
    const { items: open } = await ok('GET', `/api/approvals?status=requested`)
    return {
      text: lines.map((one: Found) => one.text).join('\n'),
      options: (lines.at(-1)?.options ?? []).map((one: Found) => one.label),
      waiting: open[0]?.ask?.headline ?? open[0]?.headline ?? open[0]?.tool ?? (open.length > 0 ? JSON.stringify(open[0]) : ''),
    }
  }
  const cursors = new Map<string, string>()
  const countOf = async (session: string) => (await ok('GET', `/api/sessions/${session}/messages?limit=200`)).items.length
  return {
    client,
    open: async (agent = 'hub') => (await ok('POST', '/api/sessions', { agent })).id,
    async say(session, text) {
      const before = await countOf(session)
      const { cursor } = await ok('POST', `/api/sessions/${session}/messages`, { text }, patience)
      cursors.set(session, cursor)
      return since(session, before)
    },
    async decide(session, decision) {
      const before = await countOf(session)
      const { items } = await ok('GET', '/api/approvals?status=requested')
      const [asked] = items
      if (!asked) throw new Error('nothing is asked')
      await ok('POST', `/api/approvals/${asked.id}`, { decision })
      await settled(client, session, cursors.get(session) ?? '')
      return since(session, before)
    },
    async document(path) {
      const { status, text, json } = await client.ask('GET', `/api/documents/${path}?level=user`)
      return status === 200 ? (json.text ?? text) : null
    },
    close: () => client.close(),
  }
}

/** Reads what happens until a turn has ended. */
async function settled({ address, ask }: Client, session: string, after: string): Promise<void> {
  void address
  for (let from = after; ; ) {
    const { json } = await ask('GET', `/api/sessions/${session}/events?after=${from}&limit=500`)
    if (json.items.some((one: Found) => one.type === 'turn-settled')) return
    from = json.items.at(-1)?.cursor ?? from
  }
}
