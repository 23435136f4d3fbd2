// A transfer over the pipelines of a talk, with secrets in memory.
import { randomBytes } from 'node:crypto'
import { openTransfer, type Transfer, type TransferRooms } from '../../src/pipelines/transfer/transfer.ts'
import type { SecretInfo } from '../../src/secrets/secrets.ts'
import type { Talk } from './talk.ts'

export type Kept = Map<string, string>

export function transferOver(talk: Talk, more: Partial<TransferRooms> = {}): { readonly transfer: Transfer; readonly kept: Kept } {
  const kept: Kept = new Map()
  const info = (name: string): SecretInfo => ({
    ...{ name, origin: 'typed', agents: ['*'], hosts: [], version: 1, createdAt: 0, rotatedAt: null, lastUsedAt: null },
  })
  const scrub = (text: string) => [...kept].reduce((now, [name, value]) => now.replaceAll(value, `{{secret:${name}}}`), text)
  const transfer = openTransfer({
    ...talk.pipelines,
    secrets: {
      list: async () => [...kept.keys()].map(info),
      value: async (name) => kept.get(name) ?? null,
      async set({ name, value }) {
        kept.set(name, value)
        return info(name)
      },
      scrub,
      sealJson: async (value) => JSON.parse(scrub(JSON.stringify(value))),
    },
    fetch: async (url) => {
      throw new Error(`nobody answers at ${url}`)
    },
    newResourceId: () => randomBytes(12).toString('hex'),
    ...more,
  })
  return { transfer, kept }
}
