// Markdown with YAML front matter, read so that each fault knows its line.
import { type Broken, readYaml, type YamlText } from '../base/yaml.ts'

/** Lines are those of the whole file. */
export type FrontMatter = YamlText & {
  /** The text below the front matter, trimmed. */
  readonly body: string
}

const fence = /^---[ \t]*\r?$/m
const maxCharacters = 256_000

/** The front matter of a file, or why there is none to read. Never throws. */
export function readFrontMatter(text: string): FrontMatter | Broken {
  if (text.length > maxCharacters) return { line: 1, message: `the file is longer than ${maxCharacters} characters` }
  const clean = text.replace(/^\ufeff/, '')
  const first = fence.exec(clean)
  if (first?.index !== 0) return { line: 1, message: 'the file does not start with front matter: a line "---", YAML, and a line "---"' }
  const rest = clean.slice(first[0].length)
  const second = fence.exec(rest)
  if (second === null) return { line: 1, message: 'the front matter has no end: a line "---" is missing' }
  // It starts behind the first fence, so its first line is the fence's own.
  const yaml = readYaml(rest.slice(0, second.index), { mostCharacters: maxCharacters })
  return 'value' in yaml ? { ...yaml, body: rest.slice(second.index + second[0].length).trim() } : yaml
}
