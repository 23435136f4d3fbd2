// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the templates that are carried over
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { compileTemplate, migrateTemplate, migrateTemplateWithFaults, templateFaults } from './template.ts'

const render = (old: string, data: JsonObject) => compileTemplate(migrateTemplate(old)).render(data)

describe('[Y46] the older syntax in that of today', () => {
  test.each<[string, string]>([
    ['Hi [[${name}]] and [(${ user.name })]', 'Hi {name} and {user.name}'],
    ["[[${list[0].x}]] [[${map['a-b']}]] [[${a?.b}]]", "{list[0].x} {map['a-b']} {a.b}"],
    ["[[${#strings.replace(name,'a','b')}]]", "{name.replace('a','b')}"],
    ['[[${#strings.substring(x, 1, #strings.length(x)-2)}]]', '{x.substring(1, x.length() - 2)}'],
    ["[[${#strings.toUpperCase(a + '!')}]]", "{#let rendered=((a + '!').toUpperCase())}{rendered}{/let}"],
    ['[[${#lists.size(a.b)}]] [[${#maps.isEmpty(m)}]] [[${#strings.isEmpty(s)}]]', '{a.b.size()} {m.isEmpty()} {s.isEmpty()}'],
    [
      '[[${#json.serialize(x)}]] [[${json.serialize(x)}]] [[${#uuidUtils.generateUUID()}]]',
      '{json:serialize(x)} {json:serialize(x)} {uuidUtils:generateUUID()}',
    ],
    ["[[${a ?: 'none'}]] [[${#objects.nullSafe(a, 'none')} + '!']]", "{a ?: 'none'} {#let rendered=((a ?: 'none'))}{rendered}{/let}!"],
    ['[[${count + 1}]] [[${a-b}]]', '{count + 1} {a - b}'],
    ["[[${a + b + '/' + c + d}]]", '{a + b}/{c}{d}'],
    ["[[${'a\\'b' + x + \"c\\\\d\" + '{y}'}]]", "a'b{x}{|c\\d{y}|}"],
    ['[[|Hello ${name}!|]] [[|plain|]]', 'Hello {name}! plain'],
    ["[[${a > 1 ? 'many' : 'one'}]]", '{#if a > 1}many{#else}one{/if}'],
    ["[[${a} ? ${b} : (${c} ? 'x' : null)]]", '{#if a}{b}{#else}{#if c}x{/if}{/if}'],
    ['[[${not a}]] [[${a == null}]]', '{#if a}false{#else}true{/if} {a == null}'],
    ['[# th:if="${a == \'x\' and not b or c gt 3}"]y[/]', "{#if a == 'x' && !b || c > 3}y{/if}"],
    ['[# th:if="${a or b and c}"]y[/]', '{#if a || (b && c)}y{/if}'],
    ['[# th:if="${a} and (${b} or ${c})"]y[/]', '{#if a && (b || c)}y{/if}'],
    ['[# th:unless="${a.b}"]y[/]', '{#if !(a.b)}y{/if}'],
    [
      '[# th:each="x, s : ${list}" th:if="${x.ok}"][[${s.count}]]/[[${s.size}]][# th:unless="${s.last}"],[/][/]',
      '{#for x in list}{#if x.ok}{x_count}/{list.size}{#if !(x_isLast)},{/if}{/if}{/for}',
    ],
    ['[#th:block th:each="x : ${list}"][[${xStat.index}]][/th:block]', '{#for x in list}{x_index}{/for}'],
    ['[# th:with="a=${x.y}, b=${z + \'1\'}"][[${a}]][/]', "{#let a=(x.y) b=(z + '1')}{a}{/let}"],
    ['[# th:text="${x}"/][# th:utext="|a${x}|"/]', '{x}a{x}'],
  ])('[Y46] %s', (old, now) => {
    expect(migrateTemplateWithFaults(old)).toEqual({ text: now, faults: [] })
    expect(templateFaults(now)).toEqual([])
    expect(migrateTemplate(now)).toBe(now)
  })

  test('[Y46] it renders what it rendered', () => {
    const data = { a: 2, b: 3, name: 'My Bot', list: [{ n: 'x' }, { n: 'y' }], path: 'p' }
    expect(render("[[${a + b}]] [[${a + '' + b}]]", data)).toBe('5 23')
    expect(render("[[${#strings.toLowerCase(#strings.replace(name, ' ', '-'))}]]", data)).toBe('my-bot')
    expect(render('[# th:each="i,s : ${list}"][[${i.n}]][# th:if="${!s.last}"],[/][/]', data)).toBe('x,y')
    expect(render('C:\\[[${path}]]', data)).toBe('C:\\p')
  })

  test('[Y46] a template that writes a template writes one of today', () => {
    const old = `{"url":"[['[[\${'+'properties.url'+'}]]']]","body":"{\\"log\\":[['[(\${'+'json.serialize(conversationLog.generate().toObject())'+'})]']]}"}`
    const now = migrateTemplate(old)
    expect(templateFaults(now)).toEqual([])
    expect(compileTemplate(now).render({ properties: { url: 'no' } })).toBe(
      '{"url":"{properties.url}","body":"{\\"log\\":{json:serialize(conversationLog)}}"}',
    )
  })

  test.each([
    '[["a", "b"], [1, 2]] [(x)] [a](#b) [/] [/if] [# note] [#1]',
    "[['a','b'],['c']] {#if a}[/]{/if}",
    '{a} {"b": 1+2} ${c} #json.x',
    '',
  ])('[Y46] nothing is done to %s', (text) => {
    expect(migrateTemplateWithFaults(text)).toEqual({ text, faults: [] })
  })
})

describe('[Y47] what has no counterpart', () => {
  test.each<[string, string]>([
    ['a\n [[${#dates.format(x)}]] [[${y}]]', '#dates.format()'],
    ['[[#{messages.hello}]]', ''],
    ['[[${new java.lang.String()}]]', ''],
    ['[[${T(java.lang.Runtime).getRuntime()}]]', ''],
    ['[[${@java.lang.Runtime@getRuntime()}]]', ''],
    ['[[${x.{name}}]]', ''],
    ['[[${a * 2}]]', '"* 2}"'],
    ['[[${a', 'not closed'],
    ['[# th:switch="${a}"][[${b}]][/]', 'th:switch'],
    ['[# th:text="${a}"]default[/]', 'only an empty one'],
    ["[[${x.replace('\"', \"'\" + 'a\\'\"')}]]", 'both kinds of quotes'],
    ["[['[[${' + x + '}]]']]", 'it is not closed'],
    ['[# th:each="x ${list}"][/]', 'is no loop'],
    ['[[${x.getClass().forName(y)}]]', 'no method getClass()'],
  ])('[Y47] %s stays, and is named', (text, message) => {
    const { text: now, faults } = migrateTemplateWithFaults(text)
    expect(faults).toHaveLength(1)
    expect(faults[0]?.message).toContain(message)
    expect(now.length).toBeGreaterThan(0)
    expect(now).toBe(text.replace('[[${y}]]', '{y}').replace('[[${b}]]', '{b}'))
    expect(migrateTemplate(now)).toBe(now)
  })

  test('[Y47] with its place', () => {
    expect(migrateTemplateWithFaults('a\n [[${#dates.format(x)}]]').faults[0]).toMatchObject({ line: 2, column: 2 })
  })

  test('[Y47] an expression that ends in a word of its language is named, not thrown', () => {
    for (const end of ['and', 'or', 'eq', 'gt', '?', '?:']) {
      expect(migrateTemplateWithFaults(`[# th:if="\${1 ${end}"]x[/]`).faults, end).toHaveLength(1)
    }
  })

  test('[Y47] of very many faults the first 100 are told', () => {
    expect(migrateTemplateWithFaults('[[${#dates.now()}]]\n'.repeat(500)).faults).toHaveLength(100)
  })

  test('[Y46] property: carrying over never fails, is done after once, and what it writes can be read', () => {
    const part = fc.constantFrom(
      '[[${',
      '}]]',
      '[(${',
      '})]',
      '[# th:if="${',
      '}"]',
      '[/]',
      '[[',
      ']]',
      "'",
      '"',
      '+',
      'a',
      '.b',
      '\\',
      '|',
      '${',
      '}',
      '{',
      ' ',
      '#strings.trim(',
      ')',
      '? ',
      ': ',
      'and',
      '1',
    )
    const text = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (old) => {
        const { text: now } = migrateTemplateWithFaults(old)
        expect(migrateTemplate(now)).toBe(now)
        compileTemplate(now, { lenient: true }).render({})
      }),
      { numRuns: 2_000 },
    )
  })

  test('[Y46] carrying over is linear', () => {
    for (const part of [
      '[[${',
      "[['",
      '[[${a}',
      "[[${'\\'",
      '[(${a[',
      '[# th:if="',
      '[#',
      '[[${a}]]',
      '[/]',
      "[['${'+x+']]",
      '[# th:if="${a}"]',
      '\\[[${a}]]',
      '[[${!',
    ]) {
      const time = (count: number) => {
        const start = performance.now()
        migrateTemplate(part.repeat(count))
        return performance.now() - start
      }
      time(500)
      const [short, long] = [time(1_000), time(10_000)]
      expect(long, part).toBeLessThan(Math.max(short, 1) * 60 + 150)
    }
  })
})
