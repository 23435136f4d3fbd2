// Reading what must not be seen: a pipe to its end, or a line at the terminal without echo.
import { WrongUsage } from './output.ts'

/** Without the line end behind it. Throws WrongUsage when the person breaks it off. */
export async function readHidden(prompt: string): Promise<string> {
  if (process.stdin.isTTY) return readLine(prompt)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

/** A terminal in raw mode sends each key as it is typed and shows nothing. A paste may come as one piece. */
function readLine(prompt: string): Promise<string> {
  const { stdin } = process
  process.stderr.write(prompt)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.resume()
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (): void => {
      stdin.setRawMode(false)
      stdin.pause()
      stdin.off('data', hear)
      process.stderr.write('\n')
    }
    const hear = (keys: string): void => {
      for (const key of keys) {
        if (key === '\r' || key === '\n' || key === '\u0004') {
          end()
          resolve(line)
          return
        }
        if (key === '\u0003') {
          end()
          reject(new WrongUsage('Broken off: nothing was changed.'))
          return
        }
        line = key === '\u007f' || key === '\b' ? line.slice(0, -1) : line + key
      }
    }
    stdin.on('data', hear)
  })
}
