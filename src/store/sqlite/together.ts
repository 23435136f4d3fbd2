// What several projections write in one tick shares one transaction, each behind its own savepoint: a fault undoes its own part only.
import { type Db, outsideFault } from './db.ts'

type Due = { readonly work: () => void; readonly done: () => void; readonly failed: (thrown: unknown) => void }
type Ended = { readonly one: Due; readonly fault: { readonly thrown: unknown } | null }

/**
 * Resolves when the work is committed, at the end of the present round of the event loop; rejects with what the work threw, or with
 * why nothing of the round could be committed. `work` must be synchronous. `transaction`: all or nothing.
 */
export function openTogether(db: Db, transaction: <T>(work: () => T) => T): (work: () => void) => Promise<void> {
  let due: Due[] = []

  function flush(): void {
    const round = due
    due = []
    try {
      const ended = transaction(() => (round.length === 1 ? round.map(plain) : round.map((one) => guarded(db, one))))
      for (const { one, fault } of ended) {
        if (fault === null) one.done()
        else one.failed(fault.thrown)
      }
    } catch (thrown) {
      for (const one of round) one.failed(thrown)
    }
  }

  return (work) =>
    new Promise((done, failed) => {
      due.push({ work, done, failed })
      if (due.length === 1) setImmediate(flush)
    })
}

/** Alone in its transaction: that is the savepoint. */
function plain(one: Due): Ended {
  one.work()
  return { one, fault: null }
}

function guarded(db: Db, one: Due): Ended {
  db.run('SAVEPOINT part')
  try {
    one.work()
    db.run('RELEASE part')
    return { one, fault: null }
  } catch (thrown) {
    if (outsideFault(thrown) !== null || !db.connection.isTransaction) throw thrown
    db.run('ROLLBACK TO part')
    db.run('RELEASE part')
    return { one, fault: { thrown } }
  }
}
