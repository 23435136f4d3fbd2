// The operating system's keyring, where there is one: macOS Keychain, Windows Credential Manager, a Secret Service on Linux.
// The kernel's own keyring on Linux is not used: it forgets everything at the next start of the machine.
import { messageOf } from '../base/errors.ts'

export type Keyring = {
  /** null: there is none of that name. Throws when the keyring can't be asked. */
  get(account: string): Promise<string | null>
  /** Throws when the keyring takes nothing. */
  set(account: string, value: string): Promise<void>
  remove(account: string): Promise<void>
}

const service = 'steward'

/** Loads the package late: it is optional, and most starts don't need it. The reason when there is no keyring to be had. */
export async function systemKeyring(): Promise<Keyring | { readonly why: string }> {
  try {
    const { Entry } = await import('@napi-rs/keyring')
    const entry = (account: string) => new Entry(service, account, { linux: { store: 'secret-service' } })
    entry('probe').getPassword()
    return {
      get: async (account) => entry(account).getPassword(),
      async set(account, value) {
        entry(account).setPassword(value)
      },
      async remove(account) {
        entry(account).deletePassword()
      },
    }
  } catch (error) {
    return { why: messageOf(error) }
  }
}
