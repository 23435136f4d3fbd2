// What doctor says of the secrets.
import type { Finding } from '../protocol/api.ts'
import type { Secrets } from './secrets.ts'
import type { Keeper } from './secrets-store.ts'

const places: Record<Keeper, string> = {
  keyring: "their key is in the operating system's keyring",
  passphrase: 'their key is under the passphrase',
  file: 'their key is in a file that only you may read, in the folder keys of the data folder; a passphrase (STEWARD_PASSPHRASE_FILE) keeps it elsewhere',
}

export async function secretsFinding(secrets: Pick<Secrets, 'list' | 'keptIn' | 'locked'>): Promise<Finding> {
  const name = 'secrets'
  const { keptIn, locked } = secrets
  if (locked !== null)
    return { name, status: 'fail', detail: locked, mend: 'Give the key or the passphrase again, and start Steward anew.' }
  const { length } = await secrets.list()
  return { name, status: 'ok', detail: keptIn === null ? 'none is kept' : `${length} kept; ${places[keptIn]}` }
}
