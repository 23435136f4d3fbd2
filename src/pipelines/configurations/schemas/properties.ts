// What sets properties, and what surrounds a call: before it, after it, again.
import { z } from 'zod'
import type { HttpCodeValidator, PostResponse, PreRequest, PropertyInstruction, PropertySetter } from '../../configuration.ts'
import { scopesOfProperties, visibilities } from '../../conversation.ts'
import { count, json, number, object, oneOf, text, texts, truth, whole } from './kit.ts'

const codes = z.array(whole).max(200)
export const defaultRun: readonly number[] = [200, 201]
export const defaultSkip: readonly number[] = [0, 400, 401, 402, 403, 404, 409, 410, 500, 501, 502]

const validator: z.ZodType<HttpCodeValidator> = z.object({
  runOnHttpCode: codes.default([...defaultRun]),
  skipOnHttpCode: codes.default([...defaultSkip]),
})

export const instruction: z.ZodType<PropertyInstruction> = z.object({
  name: text.default(''),
  valueString: text.exactOptional(),
  valueInt: whole.exactOptional(),
  valueFloat: number.exactOptional(),
  valueBoolean: truth.exactOptional(),
  valueList: z.array(json).exactOptional(),
  valueObject: object.exactOptional(),
  scope: oneOf(scopesOfProperties).default('conversation'),
  visibility: oneOf(visibilities).exactOptional(),
  fromObjectPath: text.default(''),
  toObjectPath: text.default(''),
  convertToObject: truth.default(false),
  override: truth.default(true),
  runOnValidationError: truth.default(false),
  httpCodeValidator: validator.exactOptional(),
})

export const propertySetter: z.ZodType<PropertySetter> = z.object({
  setOnActions: z
    .array(z.object({ actions: texts.default([]), setProperties: z.array(instruction).max(1_000).default([]) }))
    .max(10_000)
    .default([]),
})

const array = { pathToTargetArray: text.default(''), iterationObjectName: text.default('obj'), templateFilterExpression: text.default('') }

export const preRequest: z.ZodType<PreRequest> = z.object({
  propertyInstructions: z.array(instruction).max(1_000).default([]),
  batchRequests: z.object({ ...array, executeCallsSequentially: truth.default(false) }).exactOptional(),
  delayBeforeExecutingInMillis: count.default(0),
})

const retry = z.object({
  maxRetries: count.default(3),
  exponentialBackoffDelayInMillis: count.default(1_000),
  maxBackoffDelayInMillis: count.exactOptional(),
  retryOnHttpCodes: codes.default([502, 503]),
  responseValuePathMatchers: z
    .array(
      z.object({
        valuePath: text,
        contains: text.exactOptional(),
        equals: text.exactOptional(),
        trueIfNoMatch: truth.default(false),
      }),
    )
    .max(100)
    .default([]),
})

export const postResponse: z.ZodType<PostResponse> = z.object({
  propertyInstructions: z.array(instruction).max(1_000).default([]),
  outputBuildInstructions: z
    .array(
      z.object({ ...array, outputType: text.default('text'), outputValue: text.default(''), httpCodeValidator: validator.exactOptional() }),
    )
    .max(1_000)
    .default([]),
  qrBuildInstructions: z
    .array(
      z.object({
        ...array,
        quickReplyValue: text.default(''),
        quickReplyExpressions: text.default(''),
        httpCodeValidator: validator.exactOptional(),
      }),
    )
    .max(1_000)
    .default([]),
  retryApiCallInstruction: retry.exactOptional(),
})
