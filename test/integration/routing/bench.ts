// A hub with a small roster of its own, asked over HTTP.
import { type Asked, openHub, type TestHub } from '../../http-hub.ts'

const agents: Readonly<Record<string, string>> = {
  scout: 'aliases: [atlas]\nclass: scout\ntriggers: [map, find where, call graph]\nrefuses: [implement, fix]\nhandsOff: [coder]',
  coder: 'aliases: [vivi]\nclass: coder\ntriggers: [implement, fix, build]\nrefuses: [greenfield]',
  data: 'aliases: [zeno]\nclass: data\nrefuses: [delete]',
  agenda: 'aliases: [cato]\nclass: agenda',
  quick: 'aliases: [ford]',
}

export type RoutingHub = TestHub & {
  route(text: string, more?: object): Promise<Asked>
  /** Writes a document: into the project, or into the home. */
  write(path: string, text: string, project?: string): Promise<Asked>
  /** What a person said there. */
  say(session: string, text: string): Promise<string>
}

/** With the project `shop`. */
export async function openRoutingHub(options: { readonly home?: string } = {}): Promise<RoutingHub> {
  const hub = await openHub(options)
  const write = (path: string, text: string, project?: string) =>
    hub.ask('PUT', `/api/documents/${path}${project === undefined ? '' : `?project=${project}`}`, { text })
  if (options.home === undefined) await hub.ask('POST', '/api/projects', { name: 'shop' })
  for (const [name, front] of Object.entries(agents)) {
    await write(`agents/${name}.md`, `---\nname: ${name}\n${front}\n---\nYou are ${name}.\n`)
  }
  return {
    ...hub,
    write,
    route: (text, more = {}) => hub.ask('POST', '/api/route', { text, ...more }),
    async say(session, text) {
      return (await hub.ask('POST', `/api/sessions/${session}/messages`, { text }, { prefer: 'wait=10' })).json.id
    },
  }
}
