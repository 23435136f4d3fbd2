// The scripted model's embeddings: the same words give near vectors, in the dialects of OpenAI and of Ollama.
import { isObject } from '../base/json.ts'

/** Each word pulls towards a few places of its own, told apart by its letters; so texts that share words are near. */
export function scriptedVector(text: string, width: number): readonly number[] {
  const vector = new Array<number>(width).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2_166_136_261
    for (const sign of word) hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16_777_619) >>> 0
    for (let pull = 0; pull < 4; pull++) {
      hash = Math.imul(hash ^ (hash >>> 13), 1_540_483_477) >>> 0
      vector[hash % width] = (vector[hash % width] ?? 0) + (hash & 1 ? 1 : -1)
    }
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((one) => Number((one / length).toFixed(6)))
}

/** null: that path asks for no embeddings. */
export function embeddingsAt(path: string, text: string, width: number): object | null {
  const isOllama = path === '/api/embed'
  if (!isOllama && path !== '/v1/embeddings') return null
  const asked: unknown = JSON.parse(text)
  const body = isObject(asked) ? asked : {}
  const input = Array.isArray(body['input']) ? body['input'].map(String) : [String(body['input'])]
  const wide = typeof body['dimensions'] === 'number' ? body['dimensions'] : width
  const vectors = input.map((one) => scriptedVector(one, wide))
  const tokens = input.reduce((sum, one) => sum + Math.ceil(one.length / 4), 0)
  if (isOllama) return { model: body['model'], embeddings: vectors, prompt_eval_count: tokens }
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', model: body['model'], data, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}
