// Token buckets: how often somebody may ask. Bounded: the oldest bucket is forgotten when there are too many.

export type Rate = {
  /** 0: go on. Otherwise milliseconds until the next one is allowed. */
  take(who: string, perSecond: number): number
}

type Bucket = { left: number; at: number }

/** A bucket holds two seconds' worth. `now` in milliseconds. */
export function openRate(now: () => number, most = 10_000): Rate {
  const buckets = new Map<string, Bucket>()
  return {
    take(who, perSecond) {
      const at = now()
      const bucket = buckets.get(who) ?? { left: perSecond * 2, at }
      bucket.left = Math.min(perSecond * 2, bucket.left + ((at - bucket.at) * perSecond) / 1000)
      bucket.at = at
      if (!buckets.has(who)) forgetOldest(buckets, most)
      buckets.set(who, bucket)
      if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / perSecond) * 1000)
      bucket.left -= 1
      return 0
    },
  }
}

function forgetOldest(buckets: Map<string, Bucket>, most: number): void {
  if (buckets.size < most) return
  const oldest = buckets.keys().next()
  if (!oldest.done) buckets.delete(oldest.value)
}
