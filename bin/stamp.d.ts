export const bundleSources: readonly string[]
export function sourceStamp(root: string, paths: readonly string[]): string | null
export function isFresh(folder: string, stamp: string | null): boolean
