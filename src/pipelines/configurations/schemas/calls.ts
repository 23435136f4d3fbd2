// Calls: over HTTP, of MCP servers, of the hub's own tools.
import { z } from 'zod'
import type { HttpCalls, McpCalls, ToolCalls } from '../../configuration.ts'
import { count, names, object, oneOf, text, texts, truth } from './kit.ts'
import { postResponse, preRequest } from './properties.ts'

const around = { preRequest: preRequest.exactOptional(), postResponse: postResponse.exactOptional() }
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

const request = z.object({
  path: text.default(''),
  headers: names.default({}),
  queryParams: names.default({}),
  /** A template, or one of `methods`. */
  method: z.union([oneOf(methods), text.regex(/\{/, `allowed are ${methods.join(', ')}, or a template`)]).default('GET'),
  contentType: text.default(''),
  body: text.default(''),
})

const httpCall = z.object({
  name: text,
  description: text.default(''),
  parameters: names.default({}),
  actions: texts.default([]),
  saveResponse: truth.default(false),
  responseObjectName: text.default(''),
  responseHeaderObjectName: text.default(''),
  fireAndForget: truth.default(false),
  isBatchCalls: truth.default(false),
  iterationObjectName: text.default(''),
  timeoutInMillis: count.exactOptional(),
  maxResponseSizeInBytes: count.default(2_000_000),
  request: request.prefault({}),
  ...around,
})

export const httpCalls: z.ZodType<HttpCalls> = z.object({
  targetServerUrl: text.default(''),
  httpCalls: z.array(httpCall).max(2_000).default([]),
})

const mcpCall = z.object({
  name: text,
  actions: texts.default([]),
  toolName: text,
  toolArguments: object.default({}),
  saveResponse: truth.default(true),
  responseObjectName: text.default(''),
  continueOnError: truth.default(false),
  ...around,
})

export const mcpCalls: z.ZodType<McpCalls> = z.object({
  name: text.default(''),
  mcpServerUrl: text.default(''),
  transport: text.default('http'),
  apiKey: text.default(''),
  timeoutMs: count.default(30_000),
  toolsWhitelist: texts.default([]),
  toolsBlacklist: texts.default([]),
  exposeResources: truth.default(false),
  mcpCalls: z.array(mcpCall).max(2_000).default([]),
})

export const toolCalls: z.ZodType<ToolCalls> = z.object({
  toolCalls: z
    .array(
      z.object({
        name: text,
        actions: texts.default([]),
        tool: text,
        arguments: object.default({}),
        responseObjectName: text.default(''),
        continueOnError: truth.default(false),
        ...around,
      }),
    )
    .max(2_000)
    .default([]),
})
