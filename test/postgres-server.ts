// A PostgreSQL server of the test's own: Debian's binaries, a temporary folder, a Unix socket and no port.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

export type PostgresServer = {
  /** An empty database of that name, as an address. */
  database(name: string): Promise<string>
  /** Ends the server as a crash does and starts it again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

const installed = '/usr/lib/postgresql'

/** The newest installed server's programs; null when there is none. */
export function postgresPrograms(): string | null {
  const versions = existsSync(installed) ? readdirSync(installed).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(installed, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null
}

/** Why PostgreSQL can't be tested here, for the title of the skipped tests; null when it can. */
export function noPostgres(): string | null {
  return postgresPrograms() ? null : `no PostgreSQL server below ${installed}; apt-get install postgresql`
}

/** `safe`: with fsync, for measuring and for crashes of the machine; without it a killed server still keeps what it acknowledged. */
export async function startPostgres(options: { readonly safe?: boolean } = {}): Promise<PostgresServer> {
  const bin = postgresPrograms()
  if (!bin) throw new Error(noPostgres() ?? '')
  const folder = mkdtempSync('/tmp/pg-')
  const data = join(folder, 'data')
  chmodSync(folder, 0o777)
  const asOwner = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  const command = (program: string, args: readonly string[]) => [...asOwner, join(bin, program), ...args] as [string, ...string[]]
  const [init, ...initArgs] = command('initdb', ['-D', data, '-A', 'trust', '-U', 'steward', '-E', 'UTF8', '--locale=C', '-N'])
  execFileSync(init, initArgs, { stdio: 'pipe', cwd: folder })
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, `fsync=${options.safe ? 'on' : 'off'}`, 'max_connections=50']
  const [run, ...runArgs] = command('postgres', ['-D', data, ...settings.flatMap((setting) => ['-c', setting])])
  const address = (name: string) => `postgres://steward@localhost/${name}?host=${encodeURIComponent(folder)}`

  async function start(): Promise<ChildProcess> {
    const child = spawn(run, runArgs, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (chunk) => {
        said += chunk
        if (said.includes('ready to accept connections')) resolve()
      })
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
    })
    return child
  }

  let server = await start()
  const end = async (signal: NodeJS.Signals) => {
    const gone = once(server, 'exit')
    // runuser forwards no signal: the server itself is named in its own file.
    execFileSync('kill', [`-${signal.slice(3)}`, serverPid(data)])
    await gone
  }
  return {
    async database(name) {
      await query(address('postgres'), `CREATE DATABASE ${name}`)
      return address(name)
    },
    async crash() {
      await end('SIGQUIT')
      server = await start()
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function serverPid(data: string): string {
  return execFileSync('head', ['-n', '1', join(data, 'postmaster.pid')], { encoding: 'utf8' }).trim()
}
