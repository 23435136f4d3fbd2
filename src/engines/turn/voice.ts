// The lines of a turn, and the notices that go along with the next of them: a line of its own for each would drown the answer.
import type { MessageId } from '../../base/ids.ts'
import type { NewLine, Turn } from '../../lanes/engine.ts'

export type Voice = {
  /** `as`: whose words they are, when not those of who speaks in the turn. */
  say(name: string, line: Omit<NewLine, 'agent'> & { readonly as?: string }): MessageId
  /** Stands in the `info` of the next line; each once a turn. */
  notice(text: string): void
}

export function voiceOf(turn: Turn, agent: string): Voice {
  const told = new Set<string>()
  let waiting: string[] = []
  return {
    say(name, { as = agent, ...line }) {
      const info = [line.info, ...waiting].filter((text) => text !== undefined && text.trim() !== '').join('\n')
      waiting = []
      const { info: _, ...rest } = line
      return turn.say(name, { ...rest, agent: as, ...(info === '' ? {} : { info }) })
    },
    notice(text) {
      if (told.has(text)) return
      told.add(text)
      waiting.push(text)
    },
  }
}
