// One tool of a model task, wherever it comes from.
import type { TaskTool } from './calls-tool.ts'

/** `isGuarded`: who runs it looks for circles itself, and says so with the code `circle`. */
export type LoopTool = TaskTool & { readonly isGuarded?: true }

export const circle = 'circle'
