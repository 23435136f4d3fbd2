import { journalStoreContract } from '../../journal/journal-store.contract.ts'
import { delayed, seededPause } from '../delayed.ts'
import { memoryStore } from './memory.ts'

const close = async () => {}

journalStoreContract('memory', async () => ({ store: memoryStore({ now: Date.now }), close }))
journalStoreContract('memory, late', async () => ({ store: delayed(memoryStore({ now: Date.now }), seededPause(7)), close }))
