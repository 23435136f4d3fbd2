// The OpenAPI document, made from the endpoints: from the same schemas that check requests.
import { z } from 'zod'
import { problem } from '../protocol/api.ts'
import type { Described, Endpoint } from './endpoint.ts'

type Json = Readonly<Record<string, unknown>>

export function openApi(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of endpoints) {
    const path = templateOf(one.path)
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(one) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Steward', version },
    paths,
    components: {
      schemas: { Problem: schemaOf(problem, 'output') },
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'steward_PORT' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
    security: [{ cookie: [] }, { token: [] }],
  }
}

const streamBody = { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }
const bytesBody = { required: true, content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } }

function operation(one: Described): Json {
  const body = one.body && { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(one.body, 'input') } } } }
  return {
    operationId: `${one.method.toLowerCase()}${one.path.replace(/\{.*?\}/g, '').replace(/[^a-z]+(.)?/gi, (_, next = '') => next.toUpperCase())}`,
    summary: one.summary,
    parameters: [...pathParameters(one.path), ...queryParameters(one), ...headerParameters(one)],
    ...body,
    ...(one.takesBytes === undefined ? {} : { requestBody: bytesBody }),
    ...(one.takesStream === undefined ? {} : { requestBody: streamBody }),
    responses: {
      ...answers(one),
      default: { description: 'A problem', content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    },
    ...(one.access === 'anyone' ? { security: [] } : {}),
    'x-access': one.access,
  }
}

function answers(one: Described): Json {
  return Object.fromEntries(
    Object.entries(one.answers).map(([status, shape]) => [status, { description: one.summary, ...contentOf(shape) }]),
  )
}

function contentOf(shape: z.ZodType | 'text' | 'events'): Json {
  if (shape === 'text') return {}
  if (shape === 'events') return { content: { 'text/event-stream': { schema: { type: 'string' } } } }
  return { content: { 'application/json': { schema: schemaOf(shape, 'output') } } }
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => ({ name: match[1], in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(one: Described): readonly Json[] {
  if (!(one.query instanceof z.ZodObject)) return []
  const { properties = {}, required = [] } = schemaOf(one.query, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

function headerParameters(one: Described): readonly Json[] {
  if (one.method === 'GET') return []
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } }]
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

/** /api/documents/:path{.+} is /api/documents/{path} */
function templateOf(path: string): string {
  return path.replace(/:(\w+)(\{.*?\})?/g, '{$1}')
}
