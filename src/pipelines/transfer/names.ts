// Which names a file of an import may have: relative paths that lead nowhere else, on any system.
import { ImportRefused } from './limits.ts'

/** Throws ImportRefused. Folders (ending with "/") are told by `null`. */
export function checkedName(name: string): string | null {
  const fault = faultIn(name)
  if (fault !== null) throw new ImportRefused(name, fault)
  return name.endsWith('/') ? null : name
}

function faultIn(name: string): string | null {
  if (name === '' || name.length > 512) return 'a name must have 1 to 512 characters'
  if (hasControl(name)) return 'control characters are not allowed in names'
  if (name.includes('\\')) return 'backslashes are not allowed in names: folders are separated by "/"'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'absolute paths are not allowed'
  const parts = (name.endsWith('/') ? name.slice(0, -1) : name).split('/')
  if (parts.includes('..')) return 'paths that lead out of the archive ("..") are not allowed'
  return parts.some((part) => part === '' || part === '.') ? 'empty parts and "." are not allowed in paths' : null
}

function hasControl(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    if (code < 32 || code === 127) return true
  }
  return false
}

/** Throws ImportRefused for a name that is there, or that a system without upper case could not tell from one. */
export function namesSeen(): (name: string) => void {
  const seen = new Map<string, string>()
  return (name) => {
    const folded = name.normalize('NFC').toLowerCase()
    const before = seen.get(folded)
    if (before === name) throw new ImportRefused(name, 'it is there twice')
    if (before !== undefined) throw new ImportRefused(name, `it differs from ${JSON.stringify(before)} only in case or form`)
    seen.set(folded, name)
  }
}
