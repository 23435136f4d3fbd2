// What commands do to the world, as tables: what can't be brought back, what reaches for more rights, what is never run.
import type { Command } from './command.ts'
import type { Risk } from './decision.ts'
import { isDevice, isInside } from './sensitive.ts'

export type Danger = { readonly risk: Risk; readonly destructive: boolean; readonly why: string }

type Test = (args: readonly string[], line: string) => boolean
type Row = readonly [programs: string, test: Test, danger: Danger]

const lost = (why: string): Danger => ({ risk: 'R5', destructive: true, why })
const rights = (why: string): Danger => ({ risk: 'R4', destructive: false, why })
const always: Test = () => true
const has =
  (pattern: RegExp): Test =>
  (args) =>
    args.some((arg) => pattern.test(arg))
const line =
  (pattern: RegExp): Test =>
  (_args, text) =>
    pattern.test(text)

const rows: readonly Row[] = [
  ['rm', has(/^(-[a-zA-Z]*[rRf]|--recursive|--force)/), lost('It deletes without asking, or whole folders.')],
  ['rm unlink rmdir', always, { risk: 'R2', destructive: true, why: 'It deletes files.' }],
  ['shred srm wipe', always, lost('It overwrites files.')],
  ['dd', has(/^of=/), lost('It writes raw bytes over whatever is there.')],
  ['truncate', always, lost('It cuts files off.')],
  ['find', has(/^-delete$/), lost('It deletes all that it finds.')],
  ['rsync', has(/^--(delete|remove-source)/), lost('It deletes what is not at the other end.')],
  ['mv', (args) => args.at(-1) === '/dev/null', lost('It throws files away.')],
  ['git', line(/^push\b.*(\s--force\b|\s--force-with-lease|\s-[a-z]*f|\s--mirror|\s--delete|\s-d\b|\s\+\S|\s:\S)/), lost('It overwrites or deletes what others have.')],
  ['git', line(/^(reset\b.*--hard|clean\b.*\s-[a-z]*f|checkout\b.*(\s--\s|\s\.$|\s-f)|restore\b|stash (drop|clear))/), lost('It throws away changes that were not committed.')],
  ['git', line(/^(filter-branch|filter-repo|reflog (expire|delete)|gc\b.*--prune|update-ref\b.*-d|prune\b)/), lost('It removes history.')],
  ['git', line(/^(config|remote (add|set-url)|submodule add)\b/), rights('It changes what git runs or where it sends to.')],
  ['git', (args) => /^(-c|--exec-path)/.test(args[0] ?? ''), rights('It changes how git runs, and what.')],
  ['git', line(/^branch\b.*\s(-D|--delete)/), { risk: 'R2', destructive: true, why: 'It deletes a branch.' }],
  ['psql mysql mariadb sqlite3 sqlcmd mongosh mongo clickhouse-client cqlsh duckdb', line(/\b(drop\s+(table|database|schema|view|index|user|role|collection)|dropDatabase|truncate\b|delete\s+from\s+[\w."`]+\s*(;|["']|$))/i), lost('It deletes data of a database.')],
  ['dropdb dropuser', always, lost('It deletes a database or its user.')],
  ['redis-cli', has(/^flush(all|db)$/i), lost('It empties the store.')],
  ['docker podman', line(/^(system prune|volume (rm|prune)|container prune|image prune|rm\b.*-[a-z]*[fv])/), lost('It deletes containers or their data.')],
  ['kubectl oc', line(/\b(delete|drain)\b/), lost('It deletes what runs in a cluster.')],
  ['terraform tofu pulumi', line(/\b(destroy|down)\b/), lost('It tears down what runs elsewhere.')],
  ['aws gcloud az gsutil', line(/\b(delete\S*|rm|rb|terminate\S*|remove)\b/), lost('It deletes what is kept elsewhere.')],
  ['gh glab', line(/\bdelete\b/), lost('It deletes what others have.')],
  ['npm pnpm yarn', line(/^unpublish\b/), lost('It withdraws what was published.')],
  ['npx prisma', line(/\bmigrate reset\b/), lost('It empties a database.')],
  ['crontab', has(/^-r$/), lost('It deletes all timed jobs.')],
  ['shutdown reboot halt poweroff init telinit', always, lost('It stops the machine.')],
  ['kill', (args) => args.includes('-1') && args.length > 1, lost('It ends every program.')],
  ['killall pkill', always, rights('It ends programs by name, others than ours too.')],
  ['iptables nft ufw firewall-cmd', always, rights('It changes the firewall.')],
  ['sudo su doas pkexec runuser', always, rights('It runs with the rights of another user.')],
  ['chmod', has(/^[0-7]*[2467][0-7]{3}$|[ugo]?\+[rwx]*s|^-[a-zA-Z]*R|^0?777$/), rights('It changes the rights of many files, or gives a program more rights.')],
  ['chown chgrp', always, rights('It changes who owns files.')],
  ['useradd userdel usermod passwd visudo ssh-keygen ssh-copy-id ssh-add gpg', always, rights('It changes who may come in.')],
  ['crontab at batch systemctl launchctl', always, rights('It starts something that runs by itself later.')],
  ['nc ncat netcat socat telnet', always, rights('It opens a bare connection.')],
  ['npm pnpm yarn cargo twine gem', line(/^(publish|upload|push)\b/), { risk: 'R3', destructive: false, why: 'It publishes.' }],
  ['curl wget', line(/\|\s*(ba|z|da)?sh\b/), rights('It runs what it fetches.')],
] // biome-ignore format: a table reads better with a row a line

const byProgram: ReadonlyMap<string, readonly (readonly [Test, Danger])[]> = rows.reduce((all, [programs, test, danger]) => {
  for (const program of programs.split(' ')) all.set(program, [...(all.get(program) ?? []), [test, danger] as const])
  return all
}, new Map<string, readonly (readonly [Test, Danger])[]>())

/** The gravest that is known of it; null for nothing. */
export function dangerOf({ program, args }: Command): Danger | null {
  const known = byProgram.get(program)
  if (known === undefined) return null
  const text = (program === 'git' ? withoutGlobals(args) : args).join(' ')
  let worst: Danger | null = null
  for (const [test, danger] of known) if ((worst === null || danger.risk > worst.risk) && test(args, text)) worst = danger
  return worst
}

/** What git is asked to do, without where: `git -C x --no-pager push`. */
function withoutGlobals(args: readonly string[]): readonly string[] {
  let at = 0
  while (args[at]?.startsWith('-')) at += /^(-C|-c|--git-dir|--work-tree|--namespace)$/.test(args[at] ?? '') ? 2 : 1
  return args.slice(at)
}

/** Folders without which a machine or a person's home is gone. */
const pillars =
  /^(\/|\/\*|\/(bin|boot|dev|etc|home|lib|lib64|opt|root|sbin|srv|sys|usr|var|Users|System)(\/\*?)?|~(\/\*?)?|\.\.(\/\.\.)*\/?)$/

/** Why a command never runs, whoever allowed it; null when it may be decided. `home`: the person's own folder. */
export function neverRun(command: Command, home: string): string | null {
  const { program, args, writes } = command
  if (/^(mkfs(\..*)?|wipefs|mkswap|fdisk|sfdisk|parted|blkdiscard|hdparm|cryptsetup)$/.test(program))
    return 'it writes to a disk past the file system'
  if (program === 'dd' && args.some((arg) => arg.startsWith('of=') && isDevice(arg.slice(3))))
    return 'it writes to a disk past the file system'
  if (writes.some(isDevice) || (['tee', 'cp', 'mv', 'shred', 'cat'].includes(program) && args.some(isDevice)))
    return 'it uses a device file'
  if (['insmod', 'modprobe', 'rmmod', 'kexec', 'mount', 'umount', 'nsenter', 'unshare', 'chroot'].includes(program)) {
    return 'it changes what the machine or its sandbox is made of'
  }
  const isSweeping =
    program === 'rm' ||
    program === 'shred' ||
    ((program === 'chmod' || program === 'chown') && args.some((arg) => /^-[a-zA-Z]*R/.test(arg)))
  if (isSweeping && args.some((arg) => pillars.test(arg) || isHome(arg, home))) return 'it takes a whole system or home folder'
  if (program === 'find' && args.includes('-delete') && args.some((arg) => pillars.test(arg) || isHome(arg, home))) {
    return 'it takes a whole system or home folder'
  }
  return null
}

/**
 * A function that starts itself twice in a pipe, whatever it is called and whatever stands beside it. The looks behind keep both
 * passes linear: a long word is tried from its start only.
 */
export function isForkBomb(text: string): boolean {
  const defined = new Set(Array.from(text.matchAll(/(?<![\w:.])([\w:.]+)\s*\(\s*\)\s*\{/g), ([, name]) => name))
  if (defined.size === 0) return false
  const pipes = Array.from(text.matchAll(/(?<![\w:.])([\w:.]+)\s*\|\s*([\w:.]+)\s*&/g), ([, first = '', second]) => ({ first, second }))
  return pipes.some(({ first, second }) => first === second && defined.has(first))
}

function isHome(arg: string, home: string): boolean {
  const plain = arg.replace(/\/\*?$/, '')
  return home !== '' && (plain === home || (plain !== '' && plain.startsWith('/') && isInside(home, plain)))
}
