/**
 * The stores: where the journal, the mailboxes and the tables of other rooms lie.
 * Owns: sqlite/ (one process, one file), memory/ (tests), postgres/ (many nodes), each with the same files; the rules that they
 * share (rules.ts); wrappers that make any store late (delayed.ts) or broken (faulty.ts).
 * Leaves the interfaces to the rooms that need them (journal/journal-store.ts, people/..., scopes/...), the meaning of events
 * to their writers. The rules S1 to S24 stand in docs/spec.md; journal/journal-store.contract.ts tests each store by them.
 *
 * S1  A group is one transaction; a refused item spoils only itself and leaves no trace.
 * S5  Work leaves a mailbox only as the oldest prefix of what waits.
 * S8  A cursor that was read as safe is never followed by an event with a smaller one.
 * S15 What was acknowledged survives the death of the process at any moment; what was not is there whole or not at all.
 */
export type { MailState } from './rules.ts'
