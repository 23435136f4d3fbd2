// The words for what a process does (reference/eddie.md 1.3); lanes/state.ts derives them.

export const processStatuses = ['INIT', 'RUNNING', 'IDLE', 'BLOCKED', 'PAUSED', 'SUSPENDED', 'CLOSED'] as const
export type ProcessStatus = (typeof processStatuses)[number]
