// The scripted model in the dialect of OpenAI's chat completions.
import { type Dialect, finishOf, pieces, type Spoken, wireCalls, wordsOf } from './scripted-reply.ts'

export const openAi: Dialect = {
  contentType: 'text/event-stream',
  start: () => '',
  text: (words, model) => frame(model, { role: 'assistant', content: words }, null),
  calls: (reply, model, sent) =>
    pieces(reply, sent)
      .map(({ id, name, first, rest }, index) => {
        const head = { index, id, type: 'function', function: { name, arguments: first } }
        return frame(model, { tool_calls: [head] }, null) + frame(model, { tool_calls: [{ index, function: { arguments: rest } }] }, null)
      })
      .join(''),
  end(reply, model) {
    const reason = finishOf(reply)
    const usage = reply.usage ? `data: ${JSON.stringify({ ...chunk(model), choices: [], usage: usageOf(reply) })}\n\n` : ''
    return `${reason === null ? '' : frame(model, {}, reason)}${usage}data: [DONE]\n\n`
  },
  whole(reply, model) {
    const calls = wireCalls(reply).map(({ id, name, text }) => ({ id, type: 'function', function: { name, arguments: text } }))
    const message = { role: 'assistant', content: wordsOf(reply), ...(calls.length > 0 ? { tool_calls: calls } : {}) }
    const choices = [{ index: 0, message, finish_reason: finishOf(reply) ?? 'stop' }]
    const usage = usageOf(reply) ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    return { id: 'scripted', object: 'chat.completion', created: 0, model, choices, usage }
  },
  refusal: ({ status, message, code }) => ({ error: { message: message ?? `scripted ${status}`, type: 'scripted', code: code ?? null } }),
}

function chunk(model: string) {
  return { id: 'scripted', object: 'chat.completion.chunk', created: 0, model }
}

function frame(model: string, delta: object, reason: string | null): string {
  return `data: ${JSON.stringify({ ...chunk(model), choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
}

function usageOf({ usage }: Spoken) {
  if (!usage) return undefined
  const { cached_tokens: cached, ...counted } = usage
  return { ...counted, ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }) }
}
