// Requests and answers about secrets. A value comes in and never goes out.
import { z } from 'zod'

const agents = z.array(z.string().min(1).max(64)).max(100)
const hosts = z.array(z.string().min(1).max(300)).max(100)

export const newSecret = z.strictObject({ name: z.string(), value: z.string(), agents: agents.optional(), hosts: hosts.optional() })
export const secretGrant = z.strictObject({ agents: agents.optional(), hosts: hosts.optional() })

export const secret = z.object({
  name: z.string(),
  origin: z.enum(['typed', 'found']),
  /** `*`: every agent. */
  agents: z.array(z.string()),
  /** Origins; empty: no restriction beyond policy. */
  hosts: z.array(z.string()),
  version: z.number().int(),
  createdAt: z.string(),
  rotatedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
})
export type Secret = z.infer<typeof secret>
/** `locked`: why no value can be opened now. */
export const secrets = z.object({
  items: z.array(secret),
  next: z.string().nullable(),
  keptIn: z.enum(['keyring', 'passphrase', 'file']).nullable(),
  locked: z.string().nullable(),
})

export const keyRotated = z.object({ rotated: z.boolean() })
