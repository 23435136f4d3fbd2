// How tools are named in lists: by name, and by label as `@label`. An unknown name or label means none. Pure.
import type { Tool } from './tool.ts'

export type Named = Pick<Tool, 'name' | 'labels'>

export function isNamed(tool: Named, selectors: readonly string[]): boolean {
  return selectors.some((one) => means(one, tool))
}

/** Where the first selector that means the tool stands; also `prefix_*` is one here. -1: nowhere. */
export function placeIn(tool: Named, selectors: readonly string[]): number {
  return selectors.findIndex((one) => means(one, tool) || (one.endsWith('*') && tool.name.startsWith(one.slice(0, -1))))
}

function means(selector: string, tool: Named): boolean {
  return selector.startsWith('@') ? tool.labels.includes(selector.slice(1)) : selector === tool.name
}
