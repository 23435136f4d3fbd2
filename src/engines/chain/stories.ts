// Parts of a plan that can be built side by side: what a planner lists below a heading for them. Pure.

export type Story = { readonly name: string; readonly text: string }

export const mostStories = 20
const headings: ReadonlySet<string> = new Set(['stories', 'independent stories', 'tracks', 'modules', 'parts', 'teile'])
const longestStory = 8_000

/** What a planner is told in a deep run. */
export const storiesTask =
  'This is a deep run: what can be built independently of the rest is built side by side. Below the heading "## Stories" name each such ' +
  'part as one list item, "- name: what is to be done, and where"; parts of the same files are one part. Leave the heading out when there are none.'

/** What can be built side by side. */
export function storiesIn(text: string): readonly Story[] {
  return itemsBelow(text, headings)
}

/** Items below a heading of those names: at least two, or none. Only items at the margin count; what stands further in belongs to them. */
export function itemsBelow(text: string, names: ReadonlySet<string>): readonly Story[] {
  const items: string[] = []
  let depth = 0
  for (const line of text.split('\n')) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (heading) {
      const level = heading[1]?.length ?? 1
      if (depth === 0 || level <= depth) depth = names.has(nameOf(heading[2] ?? '')) ? level : 0
      continue
    }
    if (depth === 0) continue
    const item = /^(?:[-*+]|\d{1,3}[.)])\s+(\S.*)$/.exec(line)
    if (item) items.push(item[1] ?? '')
    else if (items.length > 0 && line.trim() !== '') items.push(`${items.pop() ?? ''}\n${line}`)
  }
  const stories = items.slice(0, mostStories).map(storyOf)
  return stories.length < 2 ? [] : stories
}

function nameOf(heading: string): string {
  return heading
    .replace(/^[\d.)\s]+|[*_`#:]+/g, '')
    .trim()
    .toLowerCase()
}

function storyOf(item: string): Story {
  const plain = item.replaceAll(/\*\*|__|`/g, '')
  const colon = plain.indexOf(':')
  const name = colon > 0 && colon <= 60 ? plain.slice(0, colon) : plain.split(/\s+/).slice(0, 6).join(' ')
  return { name: name.trim().slice(0, 60).toWellFormed(), text: item.slice(0, longestStory).toWellFormed() }
}
