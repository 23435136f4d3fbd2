// The ledger: what is spent and what is reserved, by person and day, project, session and run. In memory, so that looking and
// reserving are one step; what was spent before is read from the store when a key is first needed.
// Nothing is counted twice: a key is read before anything of it is spent here, and from then on counted here.
import type { Micros } from './budget.ts'

export type Account = { spent: Micros; reserved: Micros; readonly through: number }

export type Ledger = {
  /** The accounts of those keys, read when they are not there yet. */
  accounts(keys: readonly string[]): Promise<readonly Account[]>
  /** Synchronous: between a look at the accounts and this nobody comes in between. */
  reserve(id: string, given: { readonly accounts: readonly Account[]; readonly most: Micros }): void
  /** null: the reserved amount counts. Does nothing for an id that is settled or unknown. */
  settle(id: string, cost: Micros | null): void
  /** What a call that was cut short had cost: it is in no reservation. `cursor` is that of the event that says so. */
  lost(keys: readonly string[], given: { readonly cost: Micros; readonly cursor: number }): void
  /** The largest amount among accounts whose keys begin so. */
  dearest(prefix: string): Micros
}

/** So many accounts without a reservation are kept; what was forgotten is read again. */
const mostAccounts = 20_000

export function openLedger(load: (key: string) => Promise<{ readonly spent: Micros; readonly cursor: number }>): Ledger {
  const known = new Map<string, Promise<Account>>()
  const held = new Map<string, Account>()
  const open = new Map<string, { readonly accounts: readonly Account[]; readonly most: Micros }>()

  function account(key: string): Promise<Account> {
    const found = known.get(key)
    if (found) return found
    const made = load(key).then(({ spent, cursor }) => {
      const account: Account = { spent, reserved: 0, through: cursor }
      held.set(key, account)
      return account
    })
    known.set(key, made)
    made.catch(() => known.delete(key))
    return made
  }

  /** The oldest go first, never one that is in use. */
  function forget(): void {
    for (const [key, { reserved }] of held) {
      if (held.size <= mostAccounts) return
      if (reserved > 0) continue
      held.delete(key)
      known.delete(key)
    }
  }

  return {
    accounts: (keys) => Promise.all(keys.map(account)),
    reserve(id, given) {
      open.set(id, given)
      for (const account of given.accounts) account.reserved += given.most
      if (held.size > mostAccounts) forget()
    },
    settle(id, cost) {
      const reservation = open.get(id)
      if (reservation === undefined) return
      open.delete(id)
      for (const account of reservation.accounts) {
        account.reserved -= reservation.most
        account.spent += cost ?? reservation.most
      }
    },
    lost(keys, { cost, cursor }) {
      for (const key of keys) {
        const account = held.get(key)
        if (account && cursor > account.through) account.spent += cost
      }
    },
    dearest(prefix) {
      let most = 0
      for (const [key, { spent }] of held) if (key.startsWith(prefix)) most = Math.max(most, spent)
      return most
    },
  }
}
