// What a model task names of its agent's workflows and they don't have: it would find nothing there, and nobody would know why.
import type { CompiledStep } from './store.ts'

export function bindingFaults(steps: readonly CompiledStep[]): readonly string[] {
  const bases = steps.flatMap((step) => (step.taskId === 'ai.labs.rag' ? [step.rag.name] : []))
  const calls = steps.flatMap((step) => (step.taskId === 'ai.labs.httpcalls' ? step.calls.httpCalls.map(({ name }) => name) : []))
  const tasks = steps.flatMap((step) => (step.taskId === 'ai.labs.llm' ? step.llm.tasks.map((task) => ({ at: step.at, task })) : []))
  return tasks.flatMap(({ at, task }) => {
    const { knowledgeBases, enableWorkflowRag, httpCallRag } = task
    const named = knowledgeBases.filter(({ name }) => !bases.includes(name)).map(({ name }) => JSON.stringify(name.slice(0, 64)))
    const isAlone = enableWorkflowRag && bases.length === 0
    const call = httpCallRag.trim()
    return [
      ...named.map((name) => `${at}: no step ai.labs.rag of its workflows has the knowledge base ${name}, so nothing is found in it`),
      ...(isAlone ? [`${at}: enableWorkflowRag is on, and no step ai.labs.rag of its workflows has a knowledge base`] : []),
      ...(call !== '' && !calls.includes(call) ? [`${at}: there is no call ${JSON.stringify(call.slice(0, 64))} for httpCallRag`] : []),
    ]
  })
}
