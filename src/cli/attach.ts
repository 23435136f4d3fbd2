// Files of this machine that go along with a message: each is sent to the hub first, then the message names them.
import { randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { attachmentKept } from '../protocol/api-attachments.ts'
import { attachmentLimits } from '../scopes/attachments/attachments.ts'
import type { Hub } from './hub.ts'
import { WrongUsage } from './output.ts'

const timeoutMs = 120_000

/** All are looked at before any is sent. Throws WrongUsage for what can't be sent, HubRefused. */
export async function attach(hub: Hub, session: string, paths: readonly string[]): Promise<readonly Sent[]> {
  if (paths.length > attachmentLimits.inMessage)
    throw new WrongUsage(`There are ${paths.length} files; a message takes at most ${attachmentLimits.inMessage}.`)
  for (const path of paths) await checkFile(path)
  const sent: Sent[] = []
  for (const path of paths) {
    const query = { name: basename(path), session, id: `cli-${randomUUID()}` }
    const file = await readFile(path)
    const { id, name, mime, size } = await hub.call('POST', '/api/attachments', attachmentKept, { query, file, timeoutMs })
    sent.push({ id, name, mime, size })
  }
  return sent
}

export type Sent = { readonly id: string; readonly name: string; readonly mime: string; readonly size: number }

async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new WrongUsage(`The file "${path}" can't be read: ${messageOf(error)}`)
  })
  if (!found.isFile()) throw new WrongUsage(`"${path}" is no file; only files can be attached.`)
  if (found.size === 0) throw new WrongUsage(`The file "${path}" is empty.`)
  const { bytes } = attachmentLimits
  if (found.size > bytes) throw new WrongUsage(`The file "${path}" has ${found.size} bytes; a file may have ${bytes} (20 MB).`)
}
