// What is understood, decided and said: parser, dictionaries, rules, outputs, snippets.
import { z } from 'zod'
import type { Condition, Dictionary, OutputSet, ParserConfig, RuleSet, Snippet } from '../../configuration.ts'
import { count, json, names, number, object, oneOf, text, texts, truth } from './kit.ts'

const extension = z.object({ type: text, config: object.default({}) })
const extensions = z.array(extension).max(200).default([])

export const parser: z.ZodType<ParserConfig> = z.object({
  extensions: z.object({ normalizer: extensions, dictionaries: extensions, corrections: extensions }).prefault({}),
  config: object.default({}),
})

export const dictionary: z.ZodType<Dictionary> = z.object({
  lang: text.default('en'),
  words: z
    .array(z.object({ word: text, expressions: text.default(''), frequency: number.default(0) }))
    .max(200_000)
    .default([]),
  phrases: z
    .array(z.object({ phrase: text, expressions: text.default('') }))
    .max(200_000)
    .default([]),
  regExs: z
    .array(z.object({ regEx: text.max(2_000), expressions: text.default('') }))
    .max(2_000)
    .default([]),
})

const condition: z.ZodType<Condition> = z.object({
  type: text,
  configs: names.default({}),
  get conditions() {
    return z.array(condition).max(1_000).default([])
  },
})

export const rules: z.ZodType<RuleSet> = z.object({
  behaviorGroups: z
    .array(
      z.object({
        name: text.default(''),
        executionStrategy: z
          .literal('')
          .transform(() => 'executeUntilFirstSuccess' as const)
          .or(z.enum(['executeUntilFirstSuccess', 'executeAll']))
          .default('executeUntilFirstSuccess'),
        rules: z
          .array(z.object({ name: text.default(''), actions: texts.default([]), conditions: z.array(condition).max(1_000).default([]) }))
          .max(10_000)
          .default([]),
      }),
    )
    .max(1_000)
    .default([]),
  appendActions: truth.default(true),
  expressionsAsActions: truth.default(false),
})

/** A plain text is an item of type text; what has no type is one of type other. */
const item = z.union([
  text.transform((words) => ({ type: 'text', text: words })),
  z.record(z.string(), json).transform((given) => ({ ...given, type: typeof given['type'] === 'string' ? given['type'] : 'other' })),
])

export const output: z.ZodType<OutputSet> = z.object({
  lang: text.default(''),
  outputSet: z
    .array(
      z.object({
        action: text,
        timesOccurred: count.default(0),
        outputs: z
          .array(z.object({ valueAlternatives: z.array(item).max(1_000).default([]) }))
          .max(1_000)
          .default([]),
        quickReplies: z
          .array(z.object({ value: text, expressions: text.default(''), isDefault: truth.default(false) }))
          .max(1_000)
          .default([]),
      }),
    )
    .max(20_000)
    .default([]),
})

export const snippet: z.ZodType<Snippet> = z.object({
  name: text.regex(/^[a-z0-9_-]{1,100}$/, 'allowed are a-z, 0-9, "_" and "-", at most 100 of them'),
  category: text.default(''),
  description: text.default(''),
  content: text.default(''),
  tags: texts.default([]),
  templateEnabled: truth.default(true),
})

export const reactions = oneOf(['ignore', 'warn', 'retry', 'fail'])
