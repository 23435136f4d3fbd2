import { expect, test } from 'vitest'
import { hasEvidence, sectionsOf } from './sections.ts'

const names = (text: string, path = 'report.md') => [...sectionsOf(text, path)].toSorted()

test('headings with content are sections, at any level', () => {
  expect(names('# Report\n\n## 1. Decision target\nWhere?\n### Findings\nOne.\n## Gaps\n\n## Scope')).toEqual([
    'decision_target',
    'findings',
    'report',
  ])
})

test('a heading in a fence is none, and code is content', () => {
  expect(names('# Plan\n```\n# Gaps\nnone\n```\n')).toEqual(['plan'])
  expect(names('~~~\n```\n# Gaps\nnone\n~~~\n# Steps\n1\n')).toEqual(['steps'])
})

test('front matter, JSON and YAML name their members', () => {
  expect(names('---\nscope:\n  in: [a]\nempty:\n"decision-target": here\n---\n\n# Findings\nx')).toEqual([
    'decision_target',
    'findings',
    'scope',
  ])
  expect(names('{"Acceptance checks": [1], "risks": null}', 'plan.json')).toEqual(['acceptance_checks'])
  expect(names('{ broken', 'plan.json')).toEqual([])
  expect(names('steps:\n- a\nrisks: # none\n', 'plan.yaml')).toEqual(['steps'])
})

test('names of other languages compare too', () => {
  expect(names('## Lücken\nkeine\n')).toEqual(['lücken'])
})

test('evidence points at a line or an address', () => {
  expect(hasEvidence('see src/a.ts:12')).toBe(true)
  expect(hasEvidence('see https://example.org/x')).toBe(true)
  expect(hasEvidence('trust me, 12:30')).toBe(false)
})
