// Paths that are not like others: what holds secrets, what belongs to the machine, what is the hub's own.
import { sep } from 'node:path'

/** Whether `path` is that folder or lies below it. Both canonical. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Private keys: never leave the machine. */
export function isPrivateKey(path: string): boolean {
  return (
    /(^|\/)(\.ssh|\.gnupg)(\/|$)/i.test(path) ||
    /(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i.test(path) ||
    /\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|asc)$/i.test(path)
  )
}

const secretNames =
  /(^|\/)(\.env(\.(?!example$|sample$|template$|dist$)[^/]*)?|\.netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.vault-token|credentials(\.json)?|service-account[^/]*\.json|wallet\.dat|shadow|gshadow|sudoers)$/i
const secretFolders = /(^|\/)(\.aws|\.azure|\.kube|\.docker\/config\.json|\.config\/gcloud|\.password-store|keychains|keyrings)(\/|$)/i

/** What holds passwords, tokens or keys. */
export function isSecret(path: string): boolean {
  return isPrivateKey(path) || secretNames.test(path) || secretFolders.test(path)
}

const systemFolders = ['/etc', '/boot', '/usr', '/bin', '/sbin', '/lib', '/lib64', '/sys', '/proc', '/dev', '/root', '/System', '/Library']

/** Files of the machine, and files that a program runs by itself later: hooks, shell and login profiles, autostart. */
export function isSystem(path: string): boolean {
  return (
    systemFolders.some((folder) => isInside(path, folder)) ||
    /^\/var\/(spool\/cron|lib)(\/|$)/.test(path) ||
    /(^|\/)\.git\/((modules|worktrees)\/.+\/)?(hooks(\/|$)|(config|config\.worktree|commondir|info\/attributes)$)/i.test(path) ||
    /(^|\/)(\.(bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv|zlogin)|\.config\/(autostart|systemd|fish)(\/.*)?|crontab)$/.test(
      path,
    )
  )
}

const harmlessDevices = /^\/dev\/(null|zero|full|u?random|stdin|stdout|stderr|tty|fd(\/\d+)?)$/

/** Devices and the kernel's own files, the few harmless ones apart. */
export function isDevice(path: string): boolean {
  if (harmlessDevices.test(path)) return false
  return isInside(path, '/dev') || /^\/proc\/(kcore|kmem|sysrq-trigger|(\d+|self)\/(mem|environ))$/.test(path)
}
