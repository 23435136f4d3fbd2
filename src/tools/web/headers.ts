// Headers that a model adds to a request, with secrets in them at most as references (T42).
import { referencesIn } from '../../secrets/secrets.ts'
import type { ToolContext } from '../tool.ts'

type Headers = Readonly<Record<string, string>>

const mostHeaders = 20
const longest = 4096
/** They belong to the connection or to who asks, not to the question. */
const closed =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie|user-agent|accept-encoding|origin|referer|via|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*)$/

/** What is wrong with them, with what is allowed; null: nothing. `trusted`: a person configured the origin, so it need not be encrypted. */
export function headerProblem(headers: Headers, url: URL, { trusted }: { readonly trusted: boolean }): string | null {
  const all = Object.entries(headers)
  if (all.length > mostHeaders) return `A request takes at most ${mostHeaders} headers.`
  for (const [name, value] of all) {
    if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(name))
      return `${JSON.stringify(name.slice(0, 80))} is no name of a header; allowed are letters, digits and "-".`
    if (closed.test(name.toLowerCase())) return `The header ${name} is made by the hub itself.`
    if (value.length > longest || !/^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(value))
      return `The value of ${name} must be one line of at most ${longest} characters.`
  }
  const secrets = secretsIn(headers)
  if (secrets.length === 0 || url.protocol === 'https:' || trusted) return null
  return `The secret ${secrets.join(', ')} is sent over https only; ${url.origin} is not encrypted.`
}

export function secretsIn(headers: Headers): readonly string[] {
  return referencesIn(Object.values(headers).join('\n'))
}

/** With the values of secrets, for that origin. Throws Denied when one may not go there. */
export async function headersFor(headers: Headers, origin: string, context: ToolContext): Promise<Record<string, string>> {
  const named = Object.entries(headers).map(async ([name, value]) => {
    const isPlain = referencesIn(value).length === 0
    return [name.toLowerCase(), isPlain ? value : await context.resolve(value, origin)] as const
  })
  return Object.fromEntries(await Promise.all(named))
}
