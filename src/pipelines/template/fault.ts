// What is wrong with a template, and where.

/** `line`, `column` from 1; `message` is a sentence with the part that is wrong. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
  readonly line: number
  readonly column: number
  constructor(message: string, line: number, column: number) {
    super(message)
    this.line = line
    this.column = column
  }
}

/**
 * A fault whose place is still an offset: lines are counted only for faults that somebody is told of. It is thrown inside this
 * folder alone, and is no Error: one text may hold thousands, and nobody reads their stacks.
 */
export class Misread {
  readonly message: string
  readonly at: number
  constructor(message: string, at: number) {
    this.message = message
    this.at = at
  }
}

/** `at` is an offset into `text`. Lines end with a line feed. */
export function faultAt(text: string, message: string, at: number): TemplateFault {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line++
    start = next + 1
  }
  return new TemplateFault(message, line, at - start + 1)
}

/** A part of a template for a message: one line, at most 60 characters. */
export function quoted(part: string): string {
  const line = part.slice(0, 61).replaceAll(/\s/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
