// The status table of a process (reference/eddie.md 1.3) and what each word means for its lane.

export const processStatuses = ['INIT', 'RUNNING', 'IDLE', 'BLOCKED', 'PAUSED', 'SUSPENDED', 'CLOSED'] as const
export type ProcessStatus = (typeof processStatuses)[number]
