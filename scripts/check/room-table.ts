/** The rooms of `src/`, in order, and which npm package each may see. `docs/design/design.md` section 4 in a form a script reads. */

/** A room may import only rooms above it, apart from `base` and `protocol`, which all may. */
export const roomOrder: readonly string[] = [
  'base',
  'protocol',
  'journal',
  'lanes',
  'people',
  'secrets',
  'scopes',
  'agents',
  'policy',
  'routing',
  'models',
  'search',
  'tools',
  'memory',
  'work',
  'context',
  'attention',
  'schedules',
  'pipelines',
  'engines',
  'runtimes',
  'agenda',
  'portability',
  'channels',
  'server',
  'store',
  'cli',
]

/** Rooms that no other room may import, although the order would allow it. */
export const edges: readonly string[] = ['channels', 'server', 'cli', 'store']

/** Exceptions to `edges`: what an importer may import all the same. */
export const edgeFriends: Readonly<Record<string, readonly string[]>> = { server: ['channels'], cli: ['channels'] }

/** Rooms whose every file may be imported: they are collections of small nouns and have no door. */
export const openRooms: readonly string[] = ['base', 'protocol']

/** Package (or `scope/*`) -> rooms that may see it. A path ending in `.ts` means this one file. What is not here is forbidden. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['store'],
  pg: ['store'],
  hono: ['server'],
  '@hono/node-server': ['server'],
  'prom-client': ['server'],
  ws: ['server', 'cli'],
  '@ai-sdk/*': ['models'],
  'ipaddr.js': ['tools'],
  '@mozilla/readability': ['tools'],
  linkedom: ['tools'],
  diff: ['tools'],
  '@napi-rs/keyring': ['secrets'],
  '@modelcontextprotocol/client': ['tools'],
  'double-metaphone': ['pipelines'],
  yauzl: ['pipelines'],
  yazl: ['pipelines'],
  commander: ['cli'],
  // Documents are read through base/yaml.ts; the others write YAML.
  yaml: ['src/base/yaml.ts', 'agents', 'policy', 'routing', 'tools'],
  zod: [
    'protocol',
    'agents',
    'scopes',
    'server',
    'models',
    'tools',
    'policy',
    'routing',
    'secrets',
    'attention',
    'work',
    'context',
    'engines',
    'pipelines',
  ],
}
