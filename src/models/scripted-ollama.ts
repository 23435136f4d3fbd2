// The scripted model in Ollama's own dialect: a line of JSON each, the last one says that it is done.
import { type Dialect, finishOf, pieces, type Spoken, wireCalls, wordsOf } from './scripted-reply.ts'

export const ollama: Dialect = {
  contentType: 'application/x-ndjson',
  start: () => '',
  text: (words, model) => line(model, { message: { role: 'assistant', content: words }, done: false }),
  calls: (reply, model, sent) =>
    pieces(reply, sent)
      .map(({ name, first, rest }, at) => {
        const whole = line(model, {
          message: { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: '@' } }] },
          done: false,
        })
        const isCutHere = at === wireCalls(reply).length - 1 && sent !== Number.POSITIVE_INFINITY
        const [before, after] = whole.split('"@"')
        return isCutHere ? `${before}${first}${rest}` : `${before}${first}${rest}${after}`
      })
      .join(''),
  end(reply, model) {
    const reason = finishOf(reply)
    return reason === null ? '' : line(model, last(reply, { role: 'assistant', content: '' }))
  },
  whole(reply, model) {
    const calls = wireCalls(reply).map(({ name, text }) => ({ function: { name, arguments: JSON.parse(text || '{}') } }))
    const message = { role: 'assistant', content: wordsOf(reply), ...(calls.length > 0 ? { tool_calls: calls } : {}) }
    return { model, created_at: '2026-01-01T00:00:00Z', ...last(reply, message) }
  },
  refusal: ({ status, message }) => ({ error: message ?? `scripted ${status}` }),
}

function last(reply: Spoken, message: object) {
  const reason = finishOf(reply)
  const counted = reply.usage ? { prompt_eval_count: reply.usage.prompt_tokens, eval_count: reply.usage.completion_tokens } : {}
  return { message, done: true, done_reason: reason === 'tool_calls' ? 'stop' : reason, ...counted }
}

function line(model: string, fields: object): string {
  return `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...fields })}\n`
}
