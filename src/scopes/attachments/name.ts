// Names that people and programs give to files: kept as something that can be shown and saved, never as a path.

const mostCharacters = 200
const bareName = 'file'

/** The last part of a path, without what can't be seen or would turn the line round. `file` when nothing is left. Pure, never throws. */
export function cleanName(given: string): string {
  const last =
    given
      .slice(0, 4_096)
      .toWellFormed()
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const seen = last
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/[<>:"|?*]/g, '_')
  const name = trimmed(shortened(trimmed(seen)))
  return name === '' ? bareName : name
}

/** A name begins with no dot or space (it would be hidden) and ends in none. */
function trimmed(name: string): string {
  let [from, to] = [0, name.length]
  while (from < to && /[. ]/.test(name.charAt(from))) from++
  while (to > from && /[. ]/.test(name.charAt(to - 1))) to--
  return name.slice(from, to)
}

/** The end of a name says what a file is: it stays. */
function shortened(name: string): string {
  if (name.length <= mostCharacters) return name
  const end = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? ''
  return `${name
    .slice(0, mostCharacters - end.length)
    .toWellFormed()
    .replace(/\ufffd$/, '')}${end}`
}

/** Of a Content-Disposition (RFC 6266): in plain letters, and as it is. */
export function disposition(name: string, how: 'attachment' | 'inline'): string {
  const plain = name.replace(/[^A-Za-z0-9 ._()-]/g, '_')
  const whole = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${how}; filename="${plain}"; filename*=UTF-8''${whole}`
}
