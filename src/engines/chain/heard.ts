// What a person writes while a chain is at work: it goes to the step after, as if it had stood in the order (E29).
import type { Entry } from '../../protocol/entry.ts'
import { hearTaint } from '../turn/mind.ts'
import type { Scene } from './scene.ts'

/** `name`: of the line that says so. `who` is at work meanwhile; null: nobody is. */
export function hear(
  { entries, heard, mind, voice }: Scene,
  more: readonly Entry[],
  { name, who }: { name: string; who: string | null },
): void {
  entries.push(...more)
  hearTaint(mind, more)
  const said = more.flatMap(({ body }) => (body.kind === 'message' && body.text.trim() !== '' ? [body.text.trim()] : []))
  heard.push(...said)
  if (said.length === 0) return
  voice.say(name, {
    text: `${who === null ? '' : `${who} is at work. `}What you wrote goes to the ${who === null ? 'next step' : 'step after it'}.`,
  })
}
