import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import { handClock } from '../../base/testing.ts'
import { contextFor } from '../testing.ts'
import type { Outcome, ToolContext } from '../tool.ts'
import { type ExecMeans, execTools, type Sandbox, sandboxFinding, sandboxModeOf, sandboxOf } from './exec.ts'
import { mostLoad, summed } from './load.ts'
import { Output } from './output.ts'
import { spawned } from './spawn.ts'

const path = '/usr/local/bin:/usr/bin:/bin'
const sandbox: Sandbox = await sandboxOf(path)()
const boxed = describe.skipIf(sandbox.kind === 'none')
const skipped = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why})` : ''
let base: string
let root: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-exec-')))
  root = join(base, 'project')
  mkdirSync(root)
  mkdirSync(join(base, 'temp'))
  put('src/a.txt', 'inside\n')
  put('secret.txt', 'OUTSIDE', base)
  return () => rmSync(base, { recursive: true, force: true })
})

function put(name: string, text: string, from = root) {
  mkdirSync(dirname(join(from, name)), { recursive: true })
  writeFileSync(join(from, name), text)
}

type Given = { readonly means?: Partial<ExecMeans>; readonly context?: Partial<ToolContext> }
function toolFor({ means = {} }: Given) {
  const [tool] = execTools({
    clock: systemClock,
    sandbox: async () => sandbox,
    mode: async () => 'required',
    path,
    temp: join(base, 'temp'),
    ...means,
  })
  if (!tool) throw new Error('no tool')
  return tool
}
const contextOf = ({ context = {} }: Given) => contextFor({ roots: [root], ...context })
const run = (input: JsonObject, given: Given = {}): Promise<Outcome> => toolFor(given).run(input, contextOf(given))
const plan = (input: JsonObject, given: Given = {}) => toolFor(given).plan(input, contextOf(given))
const sh = (script: string, given?: Given) => run({ argv: ['sh', '-c', script] }, given)
const textOf = async (script: string) => (await sh(script)).text

/** Commands of this machine whose arguments hold the mark. */
function running(mark: string): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
          .split('\0')
          .includes(mark)
      } catch {
        return false
      }
    }).length
}
async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 8_000
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not happen')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

boxed(`[T12] a command${skipped}`, () => {
  test('runs in the folder, is given its input, and answers with its exit code and what it said', async () => {
    expect((await run({ argv: ['cat', 'src/a.txt', '-'], stdin: 'given\n' })).text).toMatch(
      /^Exit code 0 after \d+\.\d s\.\ninside\ngiven$/,
    )
    expect((await sh('echo out; echo err >&2; exit 3')).text).toMatch(/^Exit code 3 .*\nout\nerr$/s)
    expect(await run({ argv: ['pwd'], cwd: 'src' })).toMatchObject({ ok: true, text: expect.stringContaining(join(root, 'src')) })
    expect((await run({ argv: ['true'] })).text).toContain('It said nothing.')
    expect((await run({ argv: ['no-such-program'] })).text).toMatch(/^Exit code 127 .*There may be no program "no-such-program"/)
    expect((await run({ argv: ['echo', '$HOME', '; ls', '`x`'] })).text).toContain('$HOME ; ls `x`')
  })

  test('that says a million empty lines holds up nobody', async () => {
    const said = await textOf("head -c 1000000 /dev/zero | tr '\\0' '\\n'; echo end")
    expect(said).toMatch(/^Exit code 0 after \d+\.\d s\.\n+end$/)
  })

  test('says what it changed', async () => {
    expect(await sh('echo x > new.txt; rm src/a.txt; mkdir -p d/e; touch d/e/f')).toMatchObject({
      ok: true,
      wrote: expect.arrayContaining([join(root, 'new.txt'), join(root, 'd/e/f')]),
    })
    expect((await sh('cat new.txt')).wrote).toEqual([])
    expect((await sh('for i in $(seq 300); do echo x > f$i; done')).wrote).toEqual([root])
  })

  test('has nothing of the environment of the hub, and what it is given', async () => {
    process.env.STEWARD_TEST_SECRET = 'sk-hidden'
    const context = { resolve: async (text: string) => text.replace('{{secret:key}}', 'the value') }
    const { text } = await run({ argv: ['env'], env: { TOKEN: '{{secret:key}}' } }, { context })
    delete process.env.STEWARD_TEST_SECRET
    expect(
      text
        .split('\n')
        .slice(1)
        .map((line) => line.split('=')[0])
        .filter((name = '') => !['PWD', '_', 'SHLVL', 'OLDPWD'].includes(name) && !name.startsWith('GIT_CONFIG_'))
        .sort(),
    ).toEqual([...['CI', 'HOME', 'LANG', 'NO_COLOR', 'PATH', 'TERM', 'TMPDIR', 'TOKEN']])
    expect(text).toContain('TOKEN=the value')
    const refusal = { resolve: async () => Promise.reject(new Error('The secret "key" is not granted to quick.')) }
    expect(await run({ argv: ['env'], env: { TOKEN: 'x' } }, { context: refusal })).toEqual({
      ok: false,
      code: 'denied',
      text: 'The secret "key" is not granted to quick.',
    })
  })

  test.each<[JsonObject, string]>([
    [{ argv: [''] }, 'is the program; it is empty'],
    [{ argv: [] }, '"argv" is'],
    [{ argv: 'ls' }, '"argv" is "ls"'],
    [{ argv: ['a\0b'] }, 'no NUL'],
    [{ argv: ['ls'], env: { PATH: '/x' } }, 'The variable "PATH" can\'t be set'],
    [{ argv: ['ls'], cwd: '../..' }, 'outside of the project'],
    [{ argv: ['ls'], cwd: 'src/a.txt' }, 'is no folder'],
    [{ argv: ['ls'], timeoutSeconds: 9999 }, '"timeoutSeconds" is 9999'],
  ])('%j does not run', async (input, words) => {
    expect(await run(input)).toMatchObject({ ok: false, text: expect.stringContaining(words) })
  })
})

boxed(`[T12] the sandbox${skipped}`, () => {
  test('shows nothing of the machine but the system', async () => {
    put('hub/steward.db', 'HUB')
    for (const file of [
      join(base, 'secret.txt'),
      '/etc/shadow',
      '/root/.bashrc',
      '/home',
      '/work',
      `/proc/self/root${base}/secret.txt`,
      `/proc/1/root${base}/secret.txt`,
    ]) {
      expect(await textOf(`cat '${file}' 2>&1; ls -A '${file}' 2>&1 | head -2`)).toMatch(/No such file|Permission denied/)
    }
    expect(await textOf('ls /var /run /opt /mnt /srv 2>/dev/null | tr "\\n" " "')).toMatch(/\/run: +\/var: tmp $/)
    const hidden = await sh('ls -A hub; cat hub/steward.db; echo x > hub/y', { context: { closed: [join(root, 'hub')] } })
    expect(hidden.text).not.toContain('HUB')
    expect(readdirSync(join(root, 'hub'))).toEqual(['steward.db'])
  })

  test('shows programs of other folders, but no home and nothing closed for their sake', async () => {
    for (const name of ['tools/bin/hello', 'tools/lib/x', 'home/bin/hi', 'home/lib/x', 'home/.steward/bin/hub'])
      put(name, '#!/bin/sh\necho HELLO', base)
    execFileSync('chmod', ['-R', '755', base])
    const more = ['tools/bin', 'home/bin', 'home/.steward/bin'].map((name) => join(base, name)).join(':')
    const given = { means: { path: `${more}:${path}` }, context: { closed: [join(base, 'home/.steward')] } }
    expect((await run({ argv: ['hello'] }, given)).text).toContain('HELLO')
    expect((await run({ argv: ['hi'] }, given)).text).toContain('HELLO')
    const { text } = await run({ argv: ['ls', '-A', join(base, 'tools'), join(base, 'home'), join(base, 'home/.steward')] }, given)
    expect(text).toMatch(/home:\nbin\n\n.*tools:\nbin\nlib/s)
    expect(text).toContain('No such file')
  })

  test("hides a person's keys, also where their whole home is the project", async () => {
    for (const name of ['.ssh/id_rsa', '.netrc', 'notes.txt']) put(name, `TEXT of ${name}`)
    const before = process.env.HOME
    process.env.HOME = root
    const { text } = await sh('cat .ssh/id_rsa .netrc notes.txt; ls -A .ssh; echo x > .ssh/authorized_keys')
    process.env.HOME = before
    expect(text).toContain('TEXT of notes.txt')
    expect(text).not.toMatch(/TEXT of (\.ssh|\.netrc)/)
    expect(readdirSync(join(root, '.ssh'))).toEqual(['id_rsa'])
  })

  test('has processes, names and rights of its own', async () => {
    expect(await textOf('ls /proc | grep -c "^[0-9]"')).toMatch(/\n[1-9]$/)
    expect(await textOf('grep -E "CapEff|NoNewPrivs" /proc/self/status')).toMatch(/CapEff:\s0+\nNoNewPrivs:\s1$/)
    expect(await textOf('mount -t tmpfs x /mnt 2>&1; unshare -Um true 2>&1; chroot / true 2>&1')).not.toMatch(/^Exit code 0 after/)
  })

  test('reaches no network: neither the port of the hub nor its sockets', async () => {
    let hits = 0
    const servers = [
      createServer(() => hits++).listen(0, '127.0.0.1'),
      createServer(() => hits++).listen(join(base, 'hub.sock')),
      createServer(() => hits++).listen('\0steward-exec-test'),
    ]
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
    const address = servers[0]?.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const script = `const net = require('net'); for (const to of [{port: ${port}, host: '127.0.0.1'}, {path: '${join(base, 'hub.sock')}'}, {path: '\\0steward-exec-test'}, {port: 53, host: '1.1.1.1'}]) net.connect(to).on('connect', () => console.log('REACHED')).on('error', (e) => console.log(e.code))`
    const { text } = await run({ argv: ['node', '-e', script] })
    for (const server of servers) server.close()
    expect(text).not.toContain('REACHED')
    expect(text.match(/ECONNREFUSED|ENOENT|ENETUNREACH/g)).toHaveLength(4)
    expect(hits).toBe(0)
  })

  test('changes nothing outside of the folders, whatever link it makes', async () => {
    await sh(
      `echo x > '${join(base, 'secret.txt')}'; ln -s '${base}' up; echo x > up/secret.txt; echo x > ../secret.txt; ln '${base}/secret.txt' hard; echo x > /usr/x; echo x > /etc/passwd`,
    )
    expect(readFileSync(join(base, 'secret.txt'), 'utf8')).toBe('OUTSIDE')
    expect(readdirSync(base).sort()).toEqual(['project', 'secret.txt', 'temp'])
    expect(readdirSync(join(base, 'temp'))).toEqual([])
  })

  test('is told to who asks the doctor', () => {
    expect(sandboxFinding(sandbox)).toMatchObject({ name: 'sandbox', status: 'ok', detail: expect.stringContaining('bubblewrap') })
  })

  test('can be told to read only', async () => {
    expect(await run({ argv: ['sh', '-c', 'cat src/a.txt; echo x > src/a.txt'], writes: false })).toMatchObject({
      ok: true,
      text: expect.stringMatching(/inside\n.*Read-only file system/s),
      wrote: [],
    })
    expect(readFileSync(join(root, 'src/a.txt'), 'utf8')).toBe('inside\n')
  })

  test('lets git work, and keeps what git runs by itself', async () => {
    execFileSync('git', ['init', '-q', root])
    const who = 'git -c user.name=a -c user.email=a@b.c'
    expect((await sh(`git add -A && ${who} commit -qm one && git log --format=%s`)).text).toMatch(/^Exit code 0.*\none$/s)
    const config = readFileSync(join(root, '.git/config'), 'utf8')
    const hooks = readdirSync(join(root, '.git/hooks'))
    const tried = await sh(
      'echo x >> .git/config; echo x > .git/hooks/post-commit; rm -rf .git/hooks; mv .git/hooks .git/h2; mv .git .git2; git config core.pager evil; ln -sf /tmp .git/config; echo done',
    )
    expect(tried.text).toContain('done')
    expect([readFileSync(join(root, '.git/config'), 'utf8'), readdirSync(join(root, '.git/hooks'))]).toEqual([config, hooks])
  })

  test('a command leads git to no other settings', async () => {
    execFileSync('git', ['init', '-q', root])
    mkdirSync(join(root, '.git', 'modules', 'sub'), { recursive: true })
    writeFileSync(join(root, '.git', 'modules', 'sub', 'config'), 'mine\n')
    const evil = 'cp -r .git evil; git config -f evil/config core.fsmonitor "touch $PWD/ran; false"; echo ../evil > .git/commondir'
    const tries = `${evil}; echo x > .git/config.worktree; echo x > .git/modules/sub/config; mv .git/modules .git/m2; echo done`
    const { text } = await sh(tries)
    expect(text).toContain('done')
    expect(text).toContain(`Taken away: ${join(root, '.git/commondir')}, ${join(root, '.git/config.worktree')}.`)
    execFileSync('git', ['-C', root, 'status'])
    expect(readdirSync(root)).not.toContain('ran')
    expect(readFileSync(join(root, '.git/modules/sub/config'), 'utf8')).toBe('mine\n')
  })

  test('is not made in the system itself', async () => {
    for (const bad of ['/', '/usr/lib', '/etc'])
      expect(await run({ argv: ['ls'] }, { context: { roots: [bad] } })).toMatchObject({ ok: false, code: 'invalid' })
  })
})

boxed(`[T12] who may only read${skipped}`, () => {
  const reader: Given = { context: { agent: { name: 'scout', pledge: ['fs.read', 'exec.read'] } } }
  const needs = async (input: JsonObject, given: Given) => (await plan({ argv: ['touch', 'new.txt'], ...input }, given))?.capability

  test('runs what the sandbox keeps from changing anything, and nothing else', async () => {
    expect(await needs({ writes: false }, reader)).toBe('exec.read')
    expect(await needs({}, reader)).toBe('exec')
    const bare = {
      ...reader,
      means: { sandbox: async () => ({ kind: 'none', why: 'no', mend: 'no' }) as const, mode: async () => 'off' as const },
    }
    expect(await needs({ writes: false }, bare)).toBe('exec')
  })

  test('is a part of running at all', async () => {
    const coder: Given = { context: { agent: { name: 'coder', pledge: ['exec'] } } }
    expect(await needs({ writes: false }, coder)).toBe('exec')
    expect((await run({ argv: ['touch', 'new.txt'], writes: false }, reader)).text).toContain('Read-only file system')
  })
})

boxed(`[T12] a command ends with all that it started${skipped}`, () => {
  const mark = (n: number) => String(700_000_000 + process.pid * 10 + n)

  test('when its time is over', async () => {
    const clock = handClock()
    const called = sh(`(setsid sleep ${mark(1)} &) ; echo started; sleep ${mark(1)}`, { means: { clock } })
    await until(() => running(mark(1)) === 2)
    clock.advance(120_000)
    expect(await called).toMatchObject({ ok: false, code: 'timeout', text: expect.stringContaining('within 120 seconds') })
    await until(() => running(mark(1)) === 0)
  })

  test('when it has ended itself', async () => {
    expect((await sh(`setsid sleep ${mark(2)} & echo left`)).text).toContain('left')
    await until(() => running(mark(2)) === 0)
  })

  test('when the turn is stopped', async () => {
    const controller = new AbortController()
    const called = sh(`echo half > half.txt; sleep ${mark(3)}`, { context: { signal: controller.signal } })
    await until(() => running(mark(3)) === 1)
    controller.abort(new Error('stopped by ada'))
    // Who called is told by the pipeline; this is for what it left behind.
    expect(await called).toMatchObject({ ok: false, code: 'stopped', wrote: [join(root, 'half.txt')] })
    await until(() => running(mark(3)) === 0)
    expect(readdirSync(join(base, 'temp'))).toEqual([])
  })

  test.each([
    ['memory', { processes: 1_000, bytes: 40_000_000 }, `const a = []; setInterval(() => a.push(Buffer.alloc(5e6, 1)), 5)`],
    ['crowd', { processes: 12, bytes: 2 ** 33 }, `for (let i = 0; i < 20; i++) require('node:child_process').spawn('sleep', ['60'])`],
  ])('when it takes too much: %s', async (kind, most, script) => {
    const node = { program: process.execPath, args: ['-e', script], cwd: root, env: { PATH: path } }
    const bounds = { stdin: '', timeoutMs: 60_000, signal: new AbortController().signal, onLine() {}, most }
    const { how } = await spawned(systemClock, { ...node, ...bounds })
    expect(how).toEqual({ kind })
  })

  test('each of its processes has limits of its own', async () => {
    const [files, memory] = (await textOf('ulimit -f; ulimit -d')).split('\n').slice(1).map(Number)
    expect(files).toBe(8_388_608)
    expect(memory).toBe(Math.floor(mostLoad.bytes / 1024))
    expect((await textOf('ulimit -u 2>/dev/null || ulimit -p')).split('\n')[1]).toBe('4096')
  })

  test('when the hub dies', async () => {
    const program = `
      import { jail } from '${join(import.meta.dirname, 'mounts.ts')}'
      import { spawned } from '${join(import.meta.dirname, 'spawn.ts')}'
      import { systemClock } from '${join(import.meta.dirname, '../../base/clock.ts')}'
      const args = jail({ sandbox: { sizes: false, flat: false }, roots: ['${root}'], closed: [], writes: true, cwd: '${root}', path: '${path}', argv: ['sh', '-c', 'setsid sleep ${mark(4)} & sleep ${mark(4)}'] })
      await spawned(systemClock, { program: 'bwrap', args, cwd: '/', env: { PATH: '${path}' }, stdin: '', timeoutMs: 60000, signal: new AbortController().signal, onLine() {} })`
    const hub = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], { stdio: 'ignore' })
    await until(() => running(mark(4)) === 2)
    hub.kill('SIGKILL')
    await until(() => running(mark(4)) === 0)
  })
})

boxed(`[T12] a command that was given the network${skipped}`, () => {
  const network = { network: true }

  test('is planned as what leaves the machine, and refused where there is no way out', async () => {
    const reach = { lookup: async () => [], exempt: () => [], ownPorts: () => [], machine: () => [] }
    expect(await plan({ argv: ['curl', 'x'], ...network }, { means: { reach } })).toMatchObject({
      capability: 'exec.network',
      outward: true,
      risk: 'R3',
    })
    expect(await run({ argv: ['ls'], ...network })).toMatchObject({ ok: false, code: 'no_network' })
  })

  test('reaches public hosts through the guard, and nothing else', async () => {
    const heard: string[] = []
    const server = createHttp((asked, answer) => {
      heard.push(`${asked.method} ${asked.headers.host}${asked.url}`)
      answer.end('FROM OUTSIDE')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const bound = server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0
    const names: Record<string, string> = {
      'public.example': '93.184.215.14',
      'inside.example': '10.0.0.1',
      'rebound.example': '127.0.0.1',
    }
    const reach = {
      lookup: async (host: string) => [names[host] ?? ''].filter((one) => one !== ''),
      exempt: () => [`http://127.0.0.1:${port}`],
      ownPorts: () => [port],
      machine: () => ['127.0.0.1'],
      dial: () => ({ host: '127.0.0.1', port }),
    }
    const script = `
      const http = require('http'), net = require('net')
      const get = (url) => new Promise((done) => http.get({ host: '127.0.0.1', port: 3128, path: url, headers: { host: new URL(url).host } }, (r) => { let t = ''; r.on('data', (d) => t += d).on('end', () => done(r.statusCode + ' ' + t.slice(0, 60))) }).on('error', (e) => done(e.code)))
      const tunnel = (to) => new Promise((done) => http.request({ host: '127.0.0.1', port: 3128, method: 'CONNECT', path: to }).on('connect', (r, s) => { if (r.statusCode !== 200) return done('refused ' + r.statusCode); s.write('GET /t HTTP/1.1\\r\\nhost: tunnel\\r\\nconnection: close\\r\\n\\r\\n'); let t = ''; s.on('data', (d) => t += d).on('end', () => done('tunnel ' + t.includes('FROM OUTSIDE'))) }).on('error', (e) => done(e.code)).end())
      const bare = (port, host) => new Promise((done) => net.connect(port, host).on('connect', () => done('REACHED')).on('error', (e) => done(e.code)))
      ;(async () => {
        console.log(await get('http://public.example/a?b'))
        for (const url of ['http://inside.example/', 'http://rebound.example/', 'http://127.0.0.1:${port}/', 'http://localhost/', 'http://public.example:22/']) console.log(await get(url))
        console.log(await tunnel('public.example:443'))
        for (const to of ['inside.example:443', '127.0.0.1:${port}', 'public.example:25']) console.log(await tunnel(to))
        console.log(await bare(${port}, '127.0.0.1'), process.env.HTTPS_PROXY)
      })()`
    const ended = await run({ argv: ['node', '-e', script], ...network }, { means: { reach } })
    server.close()
    const lines = ended.text.split('\n').slice(1)
    expect(lines[0]).toBe('200 FROM OUTSIDE')
    expect(lines.slice(1, 6).map((line) => line.slice(0, 4))).toEqual(['403 ', '403 ', '403 ', '403 ', '403 '])
    expect(lines.slice(6)).toEqual(['tunnel true', 'refused 403', 'refused 403', 'refused 403', 'ECONNREFUSED http://127.0.0.1:3128'])
    expect(heard).toEqual(['GET public.example/a?b', 'GET tunnel/t'])
    expect(ended).toMatchObject({ taint: 'foreign', sources: ['http://public.example', 'https://public.example'] })
    expect(readdirSync(join(base, 'temp'))).toEqual([])
  })

  test('ends like any other, with its exit code', async () => {
    const reach = { lookup: async () => [], exempt: () => [], ownPorts: () => [], machine: () => [] }
    expect((await run({ argv: ['sh', '-c', 'exit 7'], ...network }, { means: { reach } })).text).toContain('Exit code 7')
    expect((await run({ argv: ['no-such-program'], ...network }, { means: { reach } })).text).toContain('Exit code 127')
  })
})

boxed(`[T12] output${skipped}`, () => {
  test('is bounded: beginning and end stay', async () => {
    const { text } = await sh('head -c 30000000 /dev/zero | tr "\\0" "x"; echo; echo the end')
    expect(text.length).toBeLessThan(17_000_000)
    expect(text).toMatch(/bytes in the middle are not kept/)
    expect(text.endsWith('the end')).toBe(true)
  })

  test('a flood is ended', async () => {
    expect(await sh('yes')).toMatchObject({ ok: false, code: 'flood' })
  })

  test('binary output is named', async () => {
    expect(await textOf('head -c 100 /dev/zero')).toContain('[100 bytes of binary output (unknown kind), not shown]')
  })

  test('a character over the border of two chunks is whole', () => {
    const output = new Output()
    const bytes = Buffer.from(`${'x'.repeat(8 * 1024 * 1024 - 1)}\u{1f600}y`)
    for (let at = 0; at < bytes.length; at += 65_537) output.add(bytes.subarray(at, at + 65_537))
    expect(output.text().endsWith('x\u{1f600}y')).toBe(true)
  })
})

describe('[T12] without a sandbox', () => {
  const none: Sandbox = { kind: 'none', why: 'The program bwrap (bubblewrap) is not installed.', mend: 'Install it.' }

  test('nothing runs where one is required, and it is said what is missing', async () => {
    const given = { means: { sandbox: async () => none } }
    expect(await run({ argv: ['touch', 'x'] }, given)).toMatchObject({
      ok: false,
      code: 'no_sandbox',
      text: expect.stringContaining('not installed. Install it.'),
    })
    expect(await plan({ argv: ['touch', 'x'] }, given)).toMatchObject({ risk: 'R0', binding: 'fault:no_sandbox' })
    expect(readdirSync(root)).toEqual(['src'])
    expect(sandboxFinding(none)).toMatchObject({ name: 'sandbox', status: 'warn', mend: 'Install it.' })
  })

  test('a bare one is R3, leaves the machine, and says so', async () => {
    const given = { means: { sandbox: async () => none, mode: async () => 'preferred' as const } }
    expect(await plan({ argv: ['touch', 'x'] }, given)).toMatchObject({
      risk: 'R3',
      outward: true,
      consequences: expect.stringContaining('WITHOUT'),
    })
    expect(await run({ argv: ['sh', '-c', 'echo $HOME; touch x'] }, given)).toMatchObject({
      ok: true,
      text: expect.stringContaining(join(base, 'temp')),
      wrote: [join(root, 'x')],
    })
    expect(await plan({ argv: ['ls'] }, { means: { mode: async () => 'off' as const } })).toMatchObject({ risk: 'R3' })
  })

  test('is what the owner set: for the project, at home, or for all', async () => {
    const set = new Map<string, { value: string; by: string }>()
    const versions = async (_key: string, level: string, scope: string) => {
      const found = set.get(`${level}/${scope}`)
      return found ? [{ ...found, version: 1, at: 0 }] : []
    }
    const mode = () => sandboxModeOf({ versions }, 'ada')({ project: 'shop' })
    expect(await mode()).toBe('required')
    set.set('tenant/_tenant', { value: 'preferred', by: 'user:ada' })
    expect(await mode()).toBe('preferred')
    set.set('home/_user_ada', { value: 'off', by: 'user:ada' })
    expect(await mode()).toBe('off')
    set.set('project/shop', { value: 'off', by: 'user:bob' })
    expect(await mode()).toBe('required')
    set.set('project/shop', { value: 'nonsense', by: 'user:ada' })
    expect(await mode()).toBe('required')
  })

  test('a missing bwrap is found out', async () => {
    expect(await sandboxOf(join(base, 'nowhere'))()).toMatchObject({
      kind: 'none',
      mend: expect.stringContaining('apt install bubblewrap'),
    })
    put(
      'bwrap',
      '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9.9 && exit\n[ "$1" = --help ] && exit\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n',
    )
    execFileSync('chmod', ['755', join(root, 'bwrap')])
    expect(await sandboxOf(root)()).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('No permissions to create'),
      mend: expect.stringContaining('unprivileged_userns_clone'),
    })
  })
})

test.skipIf(sandbox.kind === 'none')(
  `[T8, T12] a plan is the command as a shell would read it, bound to the scripts that it names${skipped}`,
  async () => {
    put('deploy.sh', 'echo one')
    const input = { argv: ['sh', 'deploy.sh', "it's"] }
    const made = await plan(input)
    expect(made).toMatchObject({ tool: 'exec_run', capability: 'exec', target: "sh deploy.sh 'it'\\''s'", risk: 'R2', outward: false })
    expect(await plan(input)).toEqual(made)
    put('deploy.sh', 'echo two')
    expect(await run(input, { context: { binding: made?.binding ?? '' } })).toMatchObject({ ok: false, code: 'stale' })
    mkdirSync(join(root, '.git'))
    expect((await plan(input))?.risk).toBe('R1')
    expect((await plan({ ...input, writes: false }))?.risk).toBe('R1')
  },
)

test('the load of a command is that of all below it and of its whole group', () => {
  const row = (pid: number, parent: number, group: number) => ({ pid, parent, group, bytes: pid })
  // 5 was left by its parent, but is of the group; 6 is below it; 7 and 8 are strangers.
  const rows = [row(6, 5, 6), row(2, 1, 2), row(4, 3, 4), row(3, 2, 2), row(5, 1, 2), row(7, 1, 7), row(8, 7, 7)]
  expect(summed(2, rows)).toEqual({ processes: 5, bytes: 20 })
  expect(summed(9, rows)).toEqual({ processes: 0, bytes: 0 })
})
