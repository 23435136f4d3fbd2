// The scripted model in the dialect of Anthropic's messages: blocks that open, grow and close, and an end that says why.
import { type Dialect, finishOf, pieces, type Spoken, wireCalls, wordsOf } from './scripted-reply.ts'

export const anthropic: Dialect = {
  contentType: 'text/event-stream',
  start: (model, reply) => event('message_start', { message: { ...empty(model), usage: { ...inputOf(reply), output_tokens: 1 } } }),
  // Block 0 is the text; each word opens and closes nothing, so it is opened with the first.
  text: (words) => textBlock(words),
  calls: (reply, _, sent) =>
    pieces(reply, sent)
      .map(({ id, name, first, rest }, at) => {
        const isCutHere = at === wireCalls(reply).length - 1 && sent !== Number.POSITIVE_INFINITY
        const index = at + callsFrom
        const open = event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
        const grown = [first, rest]
          .filter((text) => text !== '')
          .map((text) => delta(index, { type: 'input_json_delta', partial_json: text }))
        return open + grown.join('') + (isCutHere ? '' : event('content_block_stop', { index }))
      })
      .join(''),
  end(reply) {
    const reason = finishOf(reply)
    if (reason === null) return ''
    const output = reply.usage?.completion_tokens ?? 1
    return (
      event('message_delta', { delta: { stop_reason: reasons[reason] ?? reason, stop_sequence: null }, usage: { output_tokens: output } }) +
      event('message_stop', {})
    )
  },
  whole(reply, model) {
    const words = wordsOf(reply)
    const calls = wireCalls(reply).map(({ id, name, text }) => ({ type: 'tool_use', id, name, input: JSON.parse(text || '{}') }))
    const content = [...(words === '' ? [] : [{ type: 'text', text: words }]), ...calls]
    const usage = { ...inputOf(reply), output_tokens: reply.usage?.completion_tokens ?? 1 }
    return { ...empty(model), content, stop_reason: reasons[finishOf(reply) ?? 'stop'], usage }
  },
  refusal: ({ status, message, code }) => ({
    type: 'error',
    error: { type: code ?? kinds[status] ?? 'api_error', message: message ?? `scripted ${status}` },
  }),
}

/** Each chunk of words is a block of its own, numbered from here; calls come behind them. */
const callsFrom = 1000
let textBlocks = 0

function textBlock(words: string): string {
  const index = textBlocks++ % callsFrom
  return (
    event('content_block_start', { index, content_block: { type: 'text', text: '' } }) +
    delta(index, { type: 'text_delta', text: words }) +
    event('content_block_stop', { index })
  )
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}
const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function empty(model: string) {
  return { id: 'msg_scripted', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null }
}

/** Anthropic counts what it read from its cache beside the rest. */
function inputOf({ usage }: Spoken) {
  const cached = usage?.cached_tokens ?? 0
  return { input_tokens: (usage?.prompt_tokens ?? 1) - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 }
}

function delta(index: number, change: object): string {
  return event('content_block_delta', { index, delta: change })
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
