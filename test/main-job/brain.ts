// The model of the main job under kills: the same words for the same conversation, however often it is asked. Several dialogues at
// once are told apart by the name that the person's sentence gives.
import type { ScriptedReply, ScriptedRequest } from '../../src/models/scripted.ts'

export type Dialogue = { readonly name: string; readonly folder: string }

export const sentenceOf = ({ name, folder }: Dialogue): string =>
  `Look through the software in ${folder} for job ${name}, mend it and report.`
export const startedOf = (name: string): string => `I set up ${name}.`
export const reportOf = (name: string): string => `Report of ${name}: mended.`
export const planOf = (name: string): string => `# Plan of ${name}\n`

export function answerOf(request: ScriptedRequest): ScriptedReply {
  const messages = request.body.messages ?? []
  const [, folder = '', name = ''] = /software in (\S+) for job (job-\w+)/.exec(JSON.stringify(messages)) ?? []
  if (JSON.stringify(messages[0] ?? '').includes('You are Eddie')) return hubWords({ name, folder })
  const results = messages.filter((one) => one.role === 'tool').length
  return workerWords(name)[results] ?? act({ type: 'ANSWER', message: reportOf(name) })
}

function hubWords({ name, folder }: Dialogue): ScriptedReply {
  const goal = sentenceOf({ name, folder })
  return act({
    type: 'DELEGATE_PROJECT',
    projectName: name,
    projectTitle: name,
    projectGoal: goal,
    roots: [folder],
    message: startedOf(name),
  })
}

/** Reads, writes, runs a command that counts itself, deletes: one after the other. */
function workerWords(name: string): readonly ScriptedReply[] {
  return [
    { text: ['I read. '], calls: [{ name: 'file_read', input: { path: 'db.js' } }] },
    { calls: [{ name: 'file_write', input: { path: 'PLAN.md', text: planOf(name) } }] },
    { calls: [{ name: 'exec_run', input: { argv: ['sh', '-c', 'echo ran >> count.txt'] } }] },
    { calls: [{ name: 'file_delete', input: { path: 'old.txt' } }] },
  ]
}

function act(input: object): ScriptedReply {
  return { calls: [{ name: 'act', input: { reason: 'r', ...input } }] }
}
