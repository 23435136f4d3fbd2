// The owner's own client over HTTP: logs in with the printed code, and says in an error what was answered.

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Found = any
export type Client = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<Found>

export function openClient(address: string, code: string): Client {
  let cookie: Promise<string> | null = null
  const headers = { 'content-type': 'application/json' }
  const login = async () => {
    const answer = await fetch(`${address}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code }) })
    return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  return async (method, path, body, more = {}) => {
    cookie ??= login()
    const given = { ...headers, cookie: await cookie, ...more }
    const answer = await fetch(address + path, { method, headers: given, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
}
