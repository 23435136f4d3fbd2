// A request in the form of the provider library. Equal requests give equal bytes, and a longer conversation begins with the bytes
// of the shorter one: providers keep what they have read already, and charge a tenth for it.
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { sha256 } from '../base/hash.ts'
import type { ProviderName } from './access.ts'
import { repairHistory } from './history.ts'
import type { ModelMessage, ModelRequest, ToolCall } from './message.ts'

export type Prompt = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'toolChoice'>

/**
 * System texts first (no provider but one takes them elsewhere), tools by name, each call with its result. With Anthropic the ends
 * of tools, system and conversation are marked as what to keep.
 */
export function promptOf(request: ModelRequest, provider: ProviderName): Prompt {
  const messages = conversation(request.messages)
  const marked = provider === 'anthropic' ? stableEnds(messages) : []
  const tools = toolsOf(request, provider)
  return {
    prompt: messages.map((message, at) => (marked.includes(at) ? { ...written(message), ...keep } : written(message))),
    ...(tools.length > 0 ? { tools } : {}),
    ...choiceOf(request, tools.length),
  }
}

function choiceOf({ tools, toolChoice }: ModelRequest, sent: number): Pick<Prompt, 'toolChoice'> {
  if (tools.length === 0) return sent > 0 ? { toolChoice: { type: 'none' } } : {}
  return toolChoice === 'required' ? { toolChoice: { type: 'required' } } : {}
}

/** The repaired history with its system texts first, beginning with a person's line and not ending with the model's own. */
export function conversation(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const system = messages.filter((message) => message.role === 'system' && message.text !== '')
  const said = repairHistory(messages.filter((message) => message.role !== 'system')).map(acceptable)
  const isOpen = said.length === 0 || said[0]?.role === 'assistant'
  return [
    ...system,
    ...(isOpen ? [line('(what was said before is not shown)')] : []),
    ...said,
    ...(said.at(-1)?.role === 'assistant' ? [line('(go on)')] : []),
  ]
}

function line(text: string): ModelMessage {
  return { role: 'user', text }
}

/** No provider takes an empty line of a person or half a character, and some only ids of these signs. */
function acceptable(given: ModelMessage): ModelMessage {
  const message = given.text.isWellFormed() ? given : { ...given, text: given.text.toWellFormed() }
  if (message.role === 'user') return /\S/.test(message.text) ? message : { ...message, text: '(nothing)' }
  if (message.role === 'tool') return { ...message, callId: fitId(message.callId) }
  if (message.role === 'assistant' && message.toolCalls.length > 0)
    return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: fitId(call.id) })) }
  return message
}

function fitId(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${sha256(id).slice(0, 16)}`
}

const keep: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
}

/**
 * Where to mark: behind the system texts, at the end, and at the line where the last call ended. Two there, because the provider
 * looks only so far back from a mark. With the tools' mark these are the four that it takes.
 */
function stableEnds(messages: readonly ModelMessage[]): readonly number[] {
  const system = messages.findLastIndex((message) => message.role === 'system')
  const answered = messages.findLastIndex((message) => message.role === 'assistant')
  return [system, answered - 1, messages.length - 1].filter((at, place, all) => at >= 0 && all.indexOf(at) === place)
}

function toolsOf(request: ModelRequest, provider: ProviderName): LanguageModelV4FunctionTool[] {
  const { tools } = request
  const named = tools.length === 0 && provider === 'anthropic' ? calledBefore(request.messages) : tools
  const sorted = named.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const isMarked = (at: number) => provider === 'anthropic' && at === sorted.length - 1
  return sorted.map((tool, at) => (isMarked(at) ? { ...toolOf(tool), ...keep } : toolOf(tool)))
}

type Tool = ModelRequest['tools'][number]
const knownTools = new WeakMap<Tool, LanguageModelV4FunctionTool>()

function toolOf(tool: Tool): LanguageModelV4FunctionTool {
  const { name, description, schema } = tool
  const present = knownTools.get(tool) ?? { type: 'function', name, description, inputSchema: { ...schema } }
  knownTools.set(tool, present)
  return present
}

/** Anthropic takes no conversation with calls in it without the tools; a request that offers none still has to name them. */
function calledBefore(messages: readonly ModelMessage[]): ModelRequest['tools'] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
  return [...new Set(calls.map((call) => call.name))].map((name) => ({
    name,
    description: 'Not to be had any more.',
    schema: { type: 'object' },
  }))
}

const known = new WeakMap<ModelMessage, LanguageModelV4Message>()

/** Lines never change, and the same ones come with call after call: each is put into this form once. */
function written(message: ModelMessage): LanguageModelV4Message {
  const present = known.get(message) ?? messageOf(message)
  known.set(message, present)
  return present
}

function messageOf(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return { role: 'assistant', content: assistantParts(message) }
    case 'tool': {
      const output = { type: 'text' as const, value: message.text }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.callId, toolName: message.name, output }] }
    }
  }
}

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

function assistantParts(message: Extract<ModelMessage, { role: 'assistant' }>): AssistantParts {
  const text: AssistantParts = message.text.trim() === '' ? [] : [{ type: 'text', text: message.text }]
  return [...text, ...message.toolCalls.map(callPart)]
}

/** Arguments that were incomplete are sent back as none: no provider takes broken ones in a history. */
function callPart(call: ToolCall): AssistantParts[number] {
  const mark = call.state === 'complete' ? call.mark : undefined
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: call.state === 'complete' ? call.input : {},
    ...(mark === undefined ? {} : { providerOptions: { google: { thoughtSignature: mark } } }),
  }
}
