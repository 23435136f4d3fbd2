// The scripted model in the dialect of Google's generateContent: each event is a piece of the answer, a call comes whole.
import { type Dialect, finishOf, pieces, type Spoken, wireCalls, wordsOf } from './scripted-reply.ts'

export const google: Dialect = {
  contentType: 'text/event-stream',
  start: () => '',
  text: (words) => event({ candidates: [candidate([{ text: words }])] }),
  calls: (reply, _, sent) =>
    pieces(reply, sent)
      .map(({ name, first, rest }, at) => {
        const part = JSON.stringify({ candidates: [candidate([{ functionCall: { name, args: '@' } }])] })
        const isCutHere = at === wireCalls(reply).length - 1 && sent !== Number.POSITIVE_INFINITY
        const [before, after] = part.split('"@"')
        return isCutHere ? `data: ${before}${first}${rest}` : `data: ${before}${first}${rest}${after}\n\n`
      })
      .join(''),
  end(reply) {
    const reason = finishOf(reply)
    return reason === null ? '' : event(last(reply, [], reason))
  },
  whole(reply) {
    const words = wordsOf(reply)
    const calls = wireCalls(reply).map(({ name, text }) => ({ functionCall: { name, args: JSON.parse(text || '{}') } }))
    return last(reply, [...(words === '' ? [] : [{ text: words }]), ...calls], finishOf(reply) ?? 'stop')
  },
  refusal: ({ status, message, code }) => ({
    error: { code: status, message: message ?? `scripted ${status}`, status: code ?? kinds[status] ?? 'UNKNOWN' },
  }),
}

const reasons: Readonly<Record<string, string>> = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }
const kinds: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

function candidate(parts: readonly object[]) {
  return { content: { role: 'model', parts }, index: 0 }
}

function last(reply: Spoken, parts: readonly object[], reason: string) {
  const { usage } = reply
  const counted = usage
    ? {
        usageMetadata: {
          promptTokenCount: usage.prompt_tokens,
          candidatesTokenCount: usage.completion_tokens,
          totalTokenCount: usage.prompt_tokens + usage.completion_tokens,
          ...(usage.cached_tokens === undefined ? {} : { cachedContentTokenCount: usage.cached_tokens }),
        },
      }
    : {}
  return { candidates: [{ ...candidate(parts), finishReason: reasons[reason] ?? reason }], ...counted }
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
