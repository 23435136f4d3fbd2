// Knowledge from a search that the agent calls: what was said is `userInput` in the call's templates, the answer is content.
import { type Scene, TaskFailed, type TaskRooms } from '../scene.ts'
import { isRefusal } from './calls-judge.ts'
import { framed } from './calls-tool.ts'
import { fire } from './http-calls.ts'

type Asking = { readonly at: string; readonly call: string; readonly question: string; readonly most: number }

/** '': there is no such call, or it had no answer; neither ends the turn. */
export async function searchedByCall(rooms: TaskRooms, scene: Scene, { at, call: named, question, most }: Asking): Promise<string> {
  const found = callNamed(scene, named.trim())
  if (found === null || most <= 0) return ''
  const before = scene.objects.get('userInput')
  scene.objects.set('userInput', question)
  try {
    const { answer } = await fire({ rooms, scene, at: `${at}/knowledge`, ...found, isByRules: true })
    if (isRefusal(answer) || answer.status < 200 || answer.status > 299 || answer.text.trim() === '') return ''
    const text = answer.text.length > most ? `${answer.text.slice(0, most).toWellFormed()}\n[cut]` : answer.text
    return framed(scene, found.call.name, { ok: true, head: '', text, source: `search ${found.call.name}` }).text
  } catch (thrown) {
    if (!(thrown instanceof TaskFailed)) throw thrown
    scene.tell('knowledge', { name: found.call.name, how: 'none', why: thrown.message, count: 0 })
    return ''
  } finally {
    if (before === undefined) scene.objects.delete('userInput')
    else scene.objects.set('userInput', before)
  }
}

function callNamed({ agent }: Scene, name: string) {
  if (name === '') return null
  for (const step of agent.steps) {
    if (step.taskId !== 'ai.labs.httpcalls') continue
    const call = step.calls.httpCalls.find((one) => one.name === name)
    if (call) return { call, server: step.calls.targetServerUrl }
  }
  return null
}
