// The files of a roster's folder that an import looks at, read without leaving it: no symbolic link is followed, and nothing large is read.
import { constants } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { WrongUsage } from './output.ts'

const mostBytes = 512_000
const mostEntries = 20_000
const deepest = 4

const wanted =
  /(?:^|\/)(?:routing\.yaml|index\.yaml|roster-index\.yaml|model-profiles\.yaml|contracts\/[^/]+\.ya?ml|agents\/[^/]+\.md|[^/]+\/agent\.md)$/

/** Relative to the folder, `/` between the parts, by path. Throws WrongUsage for what can't be read, naming it. */
export async function rosterFolder(folder: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new WrongUsage(`The folder "${folder}" can't be read: ${messageOf(error)}`)
  })
  if (!(await lstat(root)).isDirectory()) throw new WrongUsage(`"${folder}" is no folder. Name the folder that holds routing.yaml.`)
  const paths = (await walk(root)).sort()
  if (!paths.some((path) => /(?:^|\/)routing\.yaml$/.test(path))) {
    throw new WrongUsage(
      `There is no routing.yaml in "${folder}" or ${deepest} folders below. A roster has one, with a member each under "eidolons".`,
    )
  }
  const files = []
  for (const path of paths) files.push({ path, text: await readText(root, path) })
  return files
}

async function walk(root: string): Promise<string[]> {
  const found: string[] = []
  const open = [{ folder: '', depth: 0 }]
  let seen = 0
  for (const { folder, depth } of open) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (++seen > mostEntries)
        throw new WrongUsage(`The folder holds more than ${mostEntries} files. Name the one that holds routing.yaml.`)
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (depth < deepest && !entry.name.startsWith('.') && entry.name !== 'node_modules') open.push({ folder: path, depth: depth + 1 })
      } else if (wanted.test(path)) {
        if (!entry.isFile()) throw new WrongUsage(`"${path}" is no plain file; a symbolic link is not followed. Put the file itself there.`)
        found.push(path)
      }
    }
  }
  return found
}

async function readText(root: string, path: string): Promise<string> {
  try {
    await using handle = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Error('it is no plain file')
    if (stat.size > mostBytes) throw new Error(`it has ${stat.size} bytes, and ${mostBytes} are allowed`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile())
  } catch (error) {
    throw new WrongUsage(`"${path}" can't be taken: ${messageOf(error)}`)
  }
}
