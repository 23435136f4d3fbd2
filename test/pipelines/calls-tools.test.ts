import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { handClock } from '../../src/base/testing.ts'
import { toolCallsTask } from '../../src/engines/pipeline/tasks/tool-calls.ts'
import { askOf } from '../../src/lanes/testing.ts'
import type { ToolCall } from '../../src/pipelines/configuration.ts'
import type { Decision } from '../../src/policy/decision.ts'
import { policyThat } from '../../src/tools/testing.ts'
import { defineTool, done, refused } from '../../src/tools/tool.ts'
import { openTools } from '../../src/tools/tools.ts'
import { post, property, type Stage, taskOn } from './calls-stage.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function toolCall(given: Partial<ToolCall> = {}): ToolCall {
  const usual = {
    name: 'make',
    actions: ['go'],
    tool: 'note_make',
    arguments: { title: '{properties.title}', count: '{properties.count}' },
  }
  return { ...usual, responseObjectName: 'made', continueOnError: false, ...given }
}

async function staged(
  calls: readonly ToolCall[],
  effect: Decision['effect'] = 'allow',
): Promise<{ readonly stage: Stage; readonly made: unknown[] }> {
  const made: unknown[] = []
  const tools = openTools({ clock: handClock(), policy: policyThat(effect), results: JSON.parse('{}'), closed: [] })
  tools.register(
    defineTool({
      name: 'note_make',
      description: 'Makes a note',
      labels: [],
      capability: null,
      effect: 'once',
      risk: 'R2',
      input: z.strictObject({ title: z.string(), count: z.int().optional() }),
      async run(input) {
        made.push(input)
        return input.title === 'bad' ? refused('conflict', 'There is a note of that title.') : done(JSON.stringify({ id: 'n1', ...input }))
      },
    }),
  )
  const step = { at: 'workflow 1/step 2', config: {}, taskId: 'steward.toolcalls' as const, calls: { toolCalls: calls } }
  const stage = await taskOn(toolCallsTask, step, {
    tools,
    setupTools: [{ name: 'note_make', effect: 'once' }],
    properties: { title: 'Milk', count: 3 },
  })
  open.push(stage)
  return { stage, made }
}

describe('calls of the hub’s own tools by rules', () => {
  it('[Y102] arguments are templates with their values; the answer becomes the response object', async () => {
    const postResponse = post({ propertyInstructions: [property({ name: 'note', valueString: 'made {made.id}' })] })
    const { stage, made } = await staged([toolCall({ postResponse })])
    const after = await stage.say()
    expect(made).toEqual([{ title: 'Milk', count: 3 }])
    expect(after).toMatchObject({ failed: null, objects: { made: { id: 'n1', title: 'Milk' } }, properties: { note: 'made n1' } })
    expect(await stage.names('step-started')).toEqual(['workflow 1/step 2/make.1-note_make'])
  })

  it.each([
    ['refused by the tool', { arguments: { title: 'bad' } }, 'conflict', 'There is a note of that title.'],
    ['wrong arguments', { arguments: { titel: 'x' } }, 'invalid', 'there is no argument "titel"'],
    ['a tool that this agent has not', { tool: 'file_delete' }, 'unknown_tool', 'There is no tool "file_delete" here'],
  ])('[Y102] %s: data with continueOnError, else the end of the turn with the sentence', async (_, given, code, why) => {
    const calm = await staged([toolCall({ ...given, continueOnError: true })])
    expect((await calm.stage.say())?.objects['made']).toMatchObject({ ok: false, code, text: expect.stringContaining(why) })
    const strict = await staged([toolCall(given)])
    expect((await strict.stage.say())?.failed).toContain(why)
  })

  it('[Y102] what policy asks about is asked; a no is data', async () => {
    const { stage, made } = await staged([toolCall({ continueOnError: true })], 'ask')
    void stage.heart().say(stage.process, 'go')
    const asked = await stage.heart().until(({ type }) => type === 'approval-requested')
    await stage.heart().control(stage.process, { kind: 'answer', ask: askOf(asked), value: { decision: 'deny', scope: 'once' } })
    await stage.heart().until(({ type }) => type === 'turn-settled')
    expect(made).toEqual([])
    expect(stage.results.at(-1)?.objects['made']).toMatchObject({ ok: false, code: 'denied' })
  })
})
