// Trees: lines with ids below each other. Outlines, breakdowns, tables of contents.
import { z } from 'zod'
import { InvalidInput } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import { defineTool, type Tool } from '../tool.ts'
import type { DocumentRooms } from './document-place.ts'
import { includes, part, placeOf } from './lists.ts'
import {
  checkIds,
  deepest,
  itemOf,
  longestText,
  newItemId,
  placed,
  type Structure,
  type TreeNode,
  type TreeState,
  unknownItem,
} from './structure.ts'
import { edited, expected, planChange, readOut, structuredReading, structuredWriting, where } from './structured.ts'

const mostNodes = 5_000

export const trees: Structure<TreeState> = {
  kind: 'tree',
  empty: () => ({ kind: 'tree', nodes: [] }),
  read(value) {
    if (!isObject(value) || value.kind !== 'tree') throw new InvalidInput('That is no tree document: it needs "kind: tree" and "nodes".')
    const nodes: TreeNode[] = []
    flatten(value.nodes, { parent: null, depth: 1 }, nodes)
    checkIds(nodes)
    return { kind: 'tree', ...(typeof value.title === 'string' ? { title: value.title.slice(0, 200) } : {}), nodes }
  },
  write: ({ kind, title, nodes }) => ({ kind, ...(title === undefined ? {} : { title }), nodes: nested(nodes, null) }),
}

type Level = { readonly parent: string | null; readonly depth: number }

function flatten(given: unknown, { parent, depth }: Level, out: TreeNode[]): void {
  if (given === undefined || given === null) return
  if (!Array.isArray(given)) throw new InvalidInput('Nodes of a tree are a list.')
  if (depth > deepest && given.length > 0) throw new InvalidInput(`A tree is at most ${deepest} levels deep.`)
  for (const one of given) {
    if (!isObject(one) || typeof one.id !== 'string' || typeof one.text !== 'string')
      throw new InvalidInput('A node of a tree has an "id" and a "text".')
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(one.id) || one.text.length > longestText) {
      throw new InvalidInput(`A node's id is letters, digits, "-" and "_", its text at most ${longestText} characters.`)
    }
    if (out.length >= mostNodes) throw new InvalidInput(`A tree has at most ${mostNodes} nodes.`)
    out.push({ id: one.id, text: one.text, parent })
    flatten(one.children, { parent: one.id, depth: depth + 1 }, out)
  }
}

type Nested = { readonly id: string; readonly text: string; readonly children?: readonly Nested[] }

function nested(nodes: readonly TreeNode[], parent: string | null): readonly Nested[] {
  return nodes
    .filter((one) => one.parent === parent)
    .map(({ id, text }) => {
      const children = nested(nodes, id)
      return { id, text, ...(children.length > 0 ? { children } : {}) }
    })
}

const id = z.string().describe('Id of a node')
const text = z.string().min(1).max(longestText)
const parent = z.string().optional().describe('Id of the node to put it under; the top when left out')
const after = z.string().optional().describe('Id of the sibling to put it behind; "start" for the first place; the last when left out')
const searchHint = 'a tree kept as a document: outline, work breakdown, hierarchy; read, find, add, change, move and remove nodes'

export function treeTools(rooms: DocumentRooms): readonly Tool[] {
  return [treeGet(rooms), treeFind(rooms), treeAdd(rooms), treeUpdate(rooms), treeMove(rooms), treeRemove(rooms)]
}

function treeGet(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'tree_get',
    searchHint,
    description: 'Reads a tree document, or what lies under one of its nodes.',
    input: z.strictObject({
      ...where,
      id: id.optional(),
      depth: z.int().min(1).max(deepest).default(deepest).describe('How many levels'),
      from: z.int().min(1).default(1),
    }),
    run: ({ id: top, depth, from, ...given }, context) =>
      readOut(rooms, {
        structure: trees,
        given,
        context,
        text({ nodes }) {
          const start = top === undefined ? null : itemOf(nodes, top)
          const lines = drawn(nodes, { parent: start?.id ?? null, left: depth, indent: start ? 1 : 0 })
          return part(start ? [lineOf(start, 0), ...lines] : lines, { from, count: 300 })
        },
      }),
  })
}

function treeFind(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'tree_find',
    searchHint,
    description: 'Finds nodes of a tree document by their words, each with the way to it.',
    input: z.strictObject({ ...where, text }),
    run: ({ text: words, ...given }, context) =>
      readOut(rooms, {
        structure: trees,
        given,
        context,
        text({ nodes }) {
          const found = nodes.filter((one) => includes(one.text, words))
          return part(
            found.map((one) => `${one.id} ${wayTo(nodes, one)}`),
            { from: 1, count: 200 },
          )
        },
      }),
  })
}

function treeAdd(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'tree_add',
    searchHint,
    description: 'Adds nodes under one node of a tree document, or at its top. A tree that is missing is made.',
    input: z.strictObject({ ...where, texts: z.array(text).min(1).max(100), parent, after, expected }),
    plan: planChange(rooms),
    run: ({ texts, parent: under = null, after: behind, ...given }, context) =>
      edited(rooms, {
        structure: trees,
        given,
        context,
        makes: true,
        change(tree) {
          if (under !== null) itemOf(tree.nodes, under)
          const known = new Set(tree.nodes.map((one) => one.id))
          const made = texts
            .map((words, at) => ({ id: newItemId(context.key, at), text: words, parent: under }))
            .filter((one) => !known.has(one.id))
          return {
            state: { ...tree, nodes: amongSiblings(tree.nodes, made, behind) },
            said: `added ${made.map((one) => one.id).join(', ') || 'before'}.`,
          }
        },
      }),
  })
}

function treeUpdate(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'tree_update',
    searchHint,
    description: 'Changes the words of a node of a tree document.',
    input: z.strictObject({ ...where, id, text, expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, text: words, ...given }, context) =>
      edited(rooms, {
        structure: trees,
        given,
        context,
        change(tree) {
          const before = itemOf(tree.nodes, wanted)
          return {
            state: { ...tree, nodes: tree.nodes.map((one) => (one === before ? { ...one, text: words } : one)) },
            said: `${wanted} is changed.`,
          }
        },
      }),
  })
}

function treeMove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'tree_move',
    searchHint,
    description: 'Moves a node of a tree document with all that lies under it.',
    input: z.strictObject({ ...where, id, parent, after, expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, parent: under = null, after: behind, ...given }, context) =>
      edited(rooms, {
        structure: trees,
        given,
        context,
        change(tree) {
          const moved = itemOf(tree.nodes, wanted)
          if (under !== null && (below(tree.nodes, wanted).has(itemOf(tree.nodes, under).id) || under === wanted)) {
            throw new InvalidInput(`${wanted} can't be moved under itself.`)
          }
          const rest = tree.nodes.filter((one) => one !== moved)
          const nodes = behind === wanted ? tree.nodes : amongSiblings(rest, [{ ...moved, parent: under }], behind)
          return { state: { ...tree, nodes }, said: `${wanted} is moved.` }
        },
      }),
  })
}

function treeRemove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'tree_remove',
    searchHint,
    description: 'Removes nodes of a tree document with all that lies under them.',
    input: z.strictObject({ ...where, ids: z.array(id).min(1).max(100), expected }),
    plan: planChange(rooms),
    run: ({ ids, ...given }, context) =>
      edited(rooms, {
        structure: trees,
        given,
        context,
        change(tree) {
          for (const one of ids) itemOf(tree.nodes, one)
          const gone = new Set(ids.flatMap((one) => [one, ...below(tree.nodes, one)]))
          const nodes = tree.nodes.filter((one) => !gone.has(one.id))
          return { state: { ...tree, nodes }, said: `removed ${gone.size} nodes; ${nodes.length} are left.` }
        },
      }),
  })
}

/** Only the order among siblings means anything. Throws InvalidInput when `after` is no sibling. */
function amongSiblings(all: readonly TreeNode[], made: readonly TreeNode[], after: string | undefined): readonly TreeNode[] {
  const behind = placeOf(after)
  if (typeof behind === 'string' && itemOf(all, behind).parent !== (made[0]?.parent ?? null)) throw unknownItem(behind)
  return placed(all, made, behind)
}

/** Ids of all that lies under it. */
function below(nodes: readonly TreeNode[], top: string): ReadonlySet<string> {
  const found = new Set<string>()
  const next = [top]
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    for (const child of nodes) {
      if (child.parent !== one || found.has(child.id)) continue
      found.add(child.id)
      next.push(child.id)
    }
  }
  return found
}

type Drawing = { readonly parent: string | null; readonly left: number; readonly indent: number }

function drawn(nodes: readonly TreeNode[], { parent: top, left, indent }: Drawing): readonly string[] {
  const here = nodes.filter((one) => one.parent === top)
  if (left === 0) return here.length > 0 ? [`${'  '.repeat(indent)}(${here.length} more below)`] : []
  return here.flatMap((one) => [lineOf(one, indent), ...drawn(nodes, { parent: one.id, left: left - 1, indent: indent + 1 })])
}

function lineOf(node: TreeNode, indent: number): string {
  return `${'  '.repeat(indent)}${node.id} ${node.text}`
}

function wayTo(nodes: readonly TreeNode[], node: TreeNode): string {
  const way = [node.text]
  for (let at = node.parent; at !== null; ) {
    const above = itemOf(nodes, at)
    way.unshift(above.text)
    at = above.parent
  }
  return way.join(' > ')
}
