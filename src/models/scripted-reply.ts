// What a scripted model is told to answer, the same for every dialect.

/** `input` is sent as JSON, a text as it is: so broken arguments can be scripted. */
export type ScriptedCall = { readonly name: string; readonly input: unknown; readonly id?: string }

export type ScriptedUsage = { readonly prompt_tokens: number; readonly completion_tokens: number; readonly cached_tokens?: number }

export type ScriptedReply =
  | {
      /** Each text is one chunk; at a Hold the answer stands still until the test releases it. */
      readonly text?: string | readonly (string | Hold)[]
      readonly calls?: readonly ScriptedCall[]
      /**
       * In OpenAI's words (stop, tool_calls, length, content_filter), said in those of the dialect; default 'tool_calls' with calls,
       * else 'stop'. null: none is sent.
       */
      readonly finish?: string | null
      readonly usage?: ScriptedUsage
      /** How it ends: 'cut' breaks the connection, 'hang' sends nothing more and stays open. */
      readonly end?: 'done' | 'cut' | 'hang'
      /** With 'cut' and 'hang': so much of the last call's arguments is sent before. */
      readonly argumentsSent?: number
      /** Sent as it is, in front of the end: a broken frame, a comment. */
      readonly raw?: string
      /** Sent byte by byte, so that characters are split. */
      readonly byByte?: boolean
    }
  | ScriptedRefusal
  /** No answer at all, not even headers. */
  | { readonly silent: true }

export type ScriptedRefusal = {
  readonly status: number
  readonly message?: string
  readonly code?: string
  readonly retryAfter?: number | string
  readonly headers?: Readonly<Record<string, string>>
  /** The whole body instead of the dialect's usual one. */
  readonly body?: string
}

export type Spoken = Exclude<ScriptedReply, { readonly status: number } | { readonly silent: true }>

/** A place in an answer where it waits for the test. */
export type Hold = {
  /** Resolves when an answer stands there. */
  readonly reached: Promise<void>
  release(): void
  /** Used by the server. */
  readonly wait: () => Promise<void>
}

export function hold(): Hold {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    release: () => released.resolve(),
    wait() {
      reached.resolve()
      return released.promise
    },
  }
}

/**
 * How a dialect writes an answer as a stream. Each part is a text to be sent; `end` is what makes it whole. `whole`: the answer in
 * one piece, for who asks without streaming.
 */
export type Dialect = {
  readonly contentType: string
  start(model: string, reply: Spoken): string
  text(words: string, model: string): string
  /** `sent`: characters of the last call's arguments; Infinity: all. */
  calls(reply: Spoken, model: string, sent: number): string
  end(reply: Spoken, model: string): string
  whole(reply: Spoken, model: string): object
  refusal(why: ScriptedRefusal): object
}

export type WireCall = { readonly id: string; readonly name: string; readonly text: string }

export function wireCalls({ calls = [] }: Spoken): readonly WireCall[] {
  return calls.map((call, at) => ({
    id: call.id ?? `call_${at + 1}_${call.name}`,
    name: call.name,
    text: typeof call.input === 'string' ? call.input : JSON.stringify(call.input),
  }))
}

/** The calls with the last one's arguments in two halves, like a real provider sends them, or as much as is to be sent. */
export function pieces(reply: Spoken, sent: number): readonly (WireCall & { readonly first: string; readonly rest: string })[] {
  const calls = wireCalls(reply)
  return calls.map((call, at) => {
    const text = at === calls.length - 1 ? call.text.slice(0, sent) : call.text
    const half = Math.ceil(text.length / 2)
    return { ...call, first: text.slice(0, half), rest: text.slice(half) }
  })
}

export function chunksOf({ text = [] }: Spoken): readonly (string | Hold)[] {
  return typeof text === 'string' ? [text] : text
}

export function wordsOf(reply: Spoken): string {
  return chunksOf(reply)
    .filter((chunk) => typeof chunk === 'string')
    .join('')
}

/** In OpenAI's words. */
export function finishOf({ finish, calls = [] }: Spoken): string | null {
  return finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : finish
}
