export const root: string
export function isNewEnough(): boolean
export function restart(script: string, args: readonly string[]): void
export function dieWithLauncher(): void
