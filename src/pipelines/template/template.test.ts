import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json.ts'
import { compileTemplate, quotedTemplate, TemplateFault, type TemplateMode, templateFaults, templates } from './template.ts'

const render = (text: string, data: JsonObject = {}, mode: TemplateMode = 'TEXT') => compileTemplate(text, { mode }).render(data)
const value = (text: string, data: JsonObject = {}) => compileTemplate(text).value(data)
const fault = (text: string) => templateFaults(text)[0]

describe('[Y40] what templates say', () => {
  const data: JsonObject = {
    name: 'Ada',
    empty: '',
    none: null,
    count: 3,
    price: 2.5,
    yes: true,
    list: ['a', 'b', 'c'],
    people: [
      { name: 'Bo', age: 30 },
      { name: 'Cy', age: 40 },
    ],
    map: { 'a.b': 1, 'with-hyphen': 2, size: 'own', x: { y: ['deep'] } },
  }

  test.each<[string, string]>([
    ['{name}', 'Ada'],
    ['{map.with-hyphen}{map["a.b"]}{map.x.y[0]}{map.x.y.0}', '21deepdeep'],
    ['{missing}{none}{name.missing}{missing.more.and[0]}', ''],
    ['{count} {price} {yes}', '3 2.5 true'],
    ['{list} {map.x}', '["a","b","c"] {"y":["deep"]}'],
    ["{missing ?: 'none'} {name ?: 'none'} {none or 'or'} {none.or('call')}", 'none Ada or call'],
    ['{empty ?: "kept"}', ''],
    ['{yes ? name : list.size} {empty ? 1 : count} {missing ? name}', 'Ada 3 '],
    ['{yes ? json:serialize(list) : name}', '["a","b","c"]'],
    ['{count + 1} {count - 1} {count+1} {name + "!"} {price - 0.5}', '4 2 4 Ada! 2'],
    [
      '{list.size} {list.first} {list.last} {list.get(1)} {list.join("/")} {list.contains("b")} {list.indexOf("z")}',
      '3 a c b a/b/c true -1',
    ],
    ['{list.take(2).join("")}{list.takeLast(1).join("")}{list.reversed.join("")}', 'abccba'],
    ['{map.x.size} {map.size} {map.size()} {map.x.keys.first} {map.containsKey("x")}', '1 own 4 y true'],
    ['{name.length} {name.length()} {name.toUpperCase} {name.substring(1, 99)} {name.charAt(9)}', '3 3 ADA da '],
    ["{name.replace('A', '$&')} {name.split('d').size} {list contains 'a'}", '$&da 2 true'],
    ['{missing.trim()}{missing.length()}{missing.isEmpty()}{missing.orEmpty.size}', '0true0'],
    ['{data:name}{#let name="x"}{name}{data:name}{/let}', 'AdaxAda'],
    ['{this}', ''],
  ])('[Y40] %s', (text, expected) => {
    expect(render(text, data)).toBe(expected)
  })

  test.each<[string, string]>([
    ['{#for x in list}{x}{x_count}{x_index}{#if x_hasNext},{/if}{/for}', 'a10,b21,c32'],
    ['{#each list}{it}{it_isFirst}{it_isLast}{it_indexParity} {/each}', 'atruefalseodd bfalsefalseeven cfalsetrueodd '],
    ['{#for p in people}{#for x in list}{p.name}{x}{p_index}{x_index} {/for}{/for}', 'Boa00 Bob01 Boc02 Cya10 Cyb11 Cyc12 '],
    ['{#for x in missing}{x}{#else}nobody{/for}{#for x in 3}{x}{/for}', 'nobody123'],
    ['{#for e in map.x}{e.key}={e.value}{/for}', 'y=["deep"]'],
    ['{#if count > 2}more{#else if count == 2}two{#else}less{/if}', 'more'],
    ['{#if count > 5}a{#else if count == 3}b{#else}c{/if}', 'b'],
    ["{#if name == 'Ada' && (count < 2 || !empty)}yes{/if}", 'yes'],
    ['{#if name is "Bo" or name eq "Ada"}one{/}{#if count ge 3 and count le 3}two{/}{#if count ne 3}three{/}', 'onetwo'],
    ['{#if missing}a{/if}{#if empty}b{/if}{#if list}c{/if}{#if none == null}d{/if}{#if missing != null}e{/if}', 'cd'],
    ['{#let a=name b=(count + 1) c="x y"}{a}{b}{c}{/let}{a}', 'Ada4x y'],
    ['{#set a=1}{a}{/set}{#if yes}{#let b=2}{b}{#else}no{/if}{b}', '12'],
    ['{#let name?="kept" other?="set"}{name}{other}{/let}', 'Adaset'],
    ['{#let a=1 /}{a}', '1'],
    ['{#with people.0}{name}{age}{count}{this.name}{/with}', 'Bo303Bo'],
    ['{#switch name}{#case "Bo"}1{#case in "Ada" "Cy"}2{#else}3{/switch}', '2'],
    ['{#when count}{#is > 5}many{#is !in 1 2}some{#else}few{/when}', 'some'],
    ['{#if yes /}{#for x in list /}.', '.'],
  ])('[Y40] sections: %s', (text, expected) => {
    expect(render(text, data)).toBe(expected)
  })

  test('[Y40] what people type compares as what it looks like', () => {
    const typed = { n: '3', yes: 'true', text: 'b' }
    expect(render("{#if n == 3}a{/if}{#if n > 2}b{/if}{#if n < 10}c{/if}{#if yes == true}d{/if}{#if text > 'a'}e{/if}", typed)).toBe(
      'abcde',
    )
    expect(render("{#if text > 2}a{/if}{#if missing < 2}b{/if}{#if n == '3.0'}c{/if}", typed)).toBe('')
  })

  test('[Y40] && and || are of one strength and read from the left', () => {
    expect(render('{#if a || b && c}yes{#else}no{/if}', { a: true })).toBe('no')
    expect(render('{#if a || (b && c)}yes{#else}no{/if}', { a: true })).toBe('yes')
  })

  test('[Y40] a template that is one expression has a value', () => {
    expect(value('{list}', data)).toEqual(['a', 'b', 'c'])
    expect(value('{count}', data)).toBe(3)
    expect(value('{count} ', data)).toBe('3 ')
    expect(value('{missing}', data)).toBeNull()
    expect(value('text')).toBe('text')
    expect(value("{json:deserialize('[1]')}")).toEqual([1])
  })

  test('[Y40] functions of no value', () => {
    const uuid = () => '0'.repeat(36)
    expect(compileTemplate('{uuidUtils:generateUUID()}', { uuid }).render({})).toBe('0'.repeat(36))
    expect(compileTemplate('{uuidUtils:generateUUID()}').render({}, { uuid: () => 'other' })).toBe('other')
    expect(() => render('{uuidUtils:generateUUID()}')).toThrow('no ids are given')
    expect(render("{encoder:base64Url('??>')} {encoder:base64('??>')}")).toBe('Pz8- Pz8+')
    expect(
      render('{encoder:base64Mime(x)}', { x: 'a'.repeat(60) })
        .split('\r\n')
        .map(({ length }) => length),
    ).toEqual([76, 4])
    expect(() => render("{json:deserialize('nothing')}")).toThrow('no JSON')
  })
})

describe('[Y40] what stays as it is', () => {
  test.each([
    'plain',
    '{"key": "value", "n": {"a": [1, {}]}}',
    '{{name}} { name } {} {1,2} {$x} \\{ "a" \\}',
    'a{3} [[{]] {{{',
    '{% raw %} <% x %> #set($a = 1)',
  ])('[Y40] %s', (text) => {
    expect(render(text, { name: 'no' })).toBe(text)
  })

  test('[Y40] raw blocks, comments, escapes', () => {
    expect(render('{|{name}|}{! {name} !}{|a||}{|} {name}|}', { name: 'x' })).toBe('{name}a|} {name}')
    expect(render('\\{name} {name} \\\\{name} \\} \\n', { name: 'x' })).toBe('{name} x \\\\x } \\n')
    expect(render('{@java.lang.String name}{name}', { name: 'x' })).toBe('x')
  })

  test('[Y40] JSON with templates in it', () => {
    const body = '{"a":"{properties.x}","b":{"c":{properties.n}},"d":[{#for i in list}{"i":{i}}{#if i_hasNext},{/if}{/for}],"e":"{{x}}"}'
    const data = { properties: { x: 'y', n: 1 }, list: [1, 2] }
    expect(JSON.parse(render(body, data))).toEqual({ a: 'y', b: { c: 1 }, d: [{ i: 1 }, { i: 2 }], e: '{{x}}' })
  })

  test('[Y40] references are left to those who resolve them', () => {
    const text = 'Bearer ${vault:key} {vars:model} ${eddivault:a/b-c} {name}'
    expect(render(text, { name: 'x', vault: 'no' })).toBe('Bearer ${vault:key} {vars:model} ${eddivault:a/b-c} x')
  })

  test('[Y40] lines of tags alone leave nothing', () => {
    const text = 'List:\n  {#for x in list}\n  - {x}\n\n  {/for}\r\n{! note !}\nend\n  '
    expect(render(text, { list: [1, 2] })).toBe('List:\n  - 1\n\n  - 2\n\nend\n  ')
    expect(render('{#if a}\nx {#if b}{/if}\n{/if}', { a: 1 })).toBe('x \n')
  })

  test('[Y40] modes', () => {
    const data = { v: `<b a="1">'&\u00e9\u20ac`, n: -1.5 }
    expect(render('<i>{v}</i>{v.raw}{n}', data, 'HTML')).toBe(`<i>&lt;b a=&quot;1&quot;&gt;&#39;&amp;\u00e9\u20ac</i>${data.v}-1.5`)
    expect(render("'{v}'{n}", data, 'JAVASCRIPT')).toBe("'\\x3Cb\\x20a\\x3D\\x221\\x22\\x3E\\x27\\x26\\xE9\\u20AC'-1.5")
  })

  test('[Y40] property: a text without a brace, and JSON without a template, render to themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const without = text.replaceAll('{', '')
        expect(render(without)).toBe(without)
      }),
    )
    const isFree = (json: string) => !/\{[\p{L}_#/!|@]/u.test(json)
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        fc.pre(isFree(text))
        expect(render(text, { a: 1 })).toBe(text)
        expect(render(`${text}{a}`, { a: 1 })).toBe(`${text}1`)
      }),
    )
  })

  test('[Y40] property: a quoted text renders to itself, wherever it stands', () => {
    const piece = fc.oneof(fc.constantFrom('{', '}', '|', '\\', '{a}', '{|', '|}', '{#if a}', '{/if}', '\n'), fc.string())
    fc.assert(
      fc.property(
        fc.array(piece).map((parts) => parts.join('')),
        (text) => {
          expect(render(`{a}${quotedTemplate(text)}{a}`, { a: 'x' })).toBe(`x${text}x`)
        },
      ),
    )
  })
})

describe('[Y43] what can not be read', () => {
  test.each<[string, string, number, number]>([
    ['a {b c}', '"c"', 1, 6],
    ['one\n {#if x}y', 'not closed by {/if}', 2, 2],
    ['{#if}x{/if}', 'ends too early', 1, 5],
    ['{x', 'not closed', 1, 1],
    ['{a.b(}', '"{a.b(}"', 1, 6],
    ['x{/for}', 'closes nothing', 1, 2],
    ['{#else}', 'stands in no section', 1, 1],
    ['{#nope x}', 'there is no section', 1, 1],
    ['{name.foo()}', 'no method foo()', 1, 6],
    ['{name.trim(1)}', 'takes 0 arguments', 1, 6],
    ['{config:secret}', '"config:"', 1, 2],
    ['{foo(1)}', 'no function foo()', 1, 2],
    ['{#let}x{/let}', 'names no value', 1, 6],
    ["{x ?: 'a}", 'not closed', 1, 1],
    ['{! x', 'not closed by "!}"', 1, 1],
    ['{json:eval(x)}', 'no function json:eval()', 1, 2],
    ['{#for a in b}{#if c}{/for}', 'not closed by {/if}', 1, 14],
  ])('[Y43] %s', (text, message, line, column) => {
    const found = fault(text)
    expect(found).toBeInstanceOf(TemplateFault)
    if (!text.startsWith('{a.b')) expect(found?.message).toContain(message)
    expect([found?.line, found?.column]).toEqual([line, column])
    expect(() => compileTemplate(text)).toThrow(TemplateFault)
  })

  test('[Y43] a lenient reading keeps what can not be read as words, and renders the rest', () => {
    const lenient = (text: string) => compileTemplate(text, { lenient: true }).render({ a: 1 })
    expect(lenient('{b c} {a} {#if a}x {a}{/for}')).toBe('{b c} 1 {#if a}x 1{/for}')
    expect(lenient('{#nope}{a}{/nope}{#else}')).toBe('{#nope}1{/nope}{#else}')
    expect(lenient('body{color:red} {a.foo()} {a')).toBe('body{color:red} {a.foo()} {a')
    expect(lenient('{#for x in 2}{#if x}{x}{/for}{#if a}y{#else}z')).toBe('{#if x}1{#if x}2{#if a}y{#else}z')
  })

  test('[Y43] all faults are told, in the order of their places', () => {
    expect(templateFaults('{a b}\n{c d}{#if x}').map(({ line, column }) => [line, column])).toEqual([
      [1, 4],
      [2, 4],
      [2, 6],
    ])
    expect(templateFaults('{a b}'.repeat(1_000))).toHaveLength(100)
  })

  test('[Y43] property: a lenient reading never fails, and a strict one fails with a place in the text', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '{#if a}',
      '{#for x in y}',
      '{#let a=1}',
      '{/if}',
      '{/}',
      '{#else}',
      "'",
      '"',
      '\\',
      '|',
      '!',
      'a',
      '.',
      '(',
      ')',
      ' ',
      '\n',
      '{a}',
    )
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
        (text) => {
          compileTemplate(text, { lenient: true }).render({ a: 1, y: [1, 2] })
          for (const { line, column } of templateFaults(text)) {
            expect(text.split('\n')[line - 1]?.length ?? -1).toBeGreaterThanOrEqual(column - 1)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('[Y42] limits', () => {
  const limits = { steps: 1_000, characters: 1_000 }
  const within = (text: string, data: JsonObject = {}) => compileTemplate(text, { limits }).render(data)

  test.each<[string, string]>([
    ['{#for i in 1000000000}{/for}', 'more than the 1000 steps'],
    ['{#for i in 100}{#for j in 100}{i}{/for}{/for}', 'more than the 1000 steps'],
    ['{#for i in 300}{x}{/for}', 'longer than the 1000 characters'],
    ['{#let a=x.concat(x)}{#let b=a.concat(a)}{#let c=b.concat(b)}{c.concat(c).length}', 'longer than the 1000 characters'],
    ["{x.replace('', x)}", 'longer than the 1000 characters'],
    ['{#for i in 400}{#if x.contains(x)}{/if}{/for}', 'more than the 1000 steps'],
  ])('[Y42] %s', (text, message) => {
    expect(() => within(text, { x: 'x'.repeat(200) })).toThrow(message)
  })

  test('[Y42] nesting is bounded, in sections, expressions and data', () => {
    const deep = (n: number) => `${'{#if a}'.repeat(n)}x${'{/if}'.repeat(n)}`
    expect(within(deep(32), { a: 1 })).toBe('x')
    expect(fault(deep(33))?.message).toContain('32 deep')
    expect(compileTemplate(deep(33), { lenient: true }).render({ a: 1 })).toBe('{#if a}x{/if}')
    expect(fault(`{a.or(${'('.repeat(100)}1${')'.repeat(100)})}`)?.message).toContain('50 deep')
    expect(fault(`{a${'.b'.repeat(1_000)}}`)?.message).toContain('500 parts')
    expect(fault(`{a${' + 1'.repeat(1_000)}}`)?.message).toContain('500 parts')
    let data: Json = []
    for (let depth = 0; depth < 50_000; depth++) data = [data]
    expect(() => render('{a}', { a: data })).toThrow('nested too deeply')
    expect(() => render('{json:deserialize(a)}', { a: '['.repeat(1_000) })).toThrow('nested more than 100 deep')
  })

  test('[Y43] reading is linear', () => {
    const time = (text: string) => {
      const start = performance.now()
      compileTemplate(text, { lenient: true })
      return performance.now() - start
    }
    for (const part of [
      '{a',
      "{a'",
      '{a"\'',
      '{!',
      '{|',
      '{#if a}',
      '{#let a=1}{#else}',
      '{/if}',
      '{#if a}{/for}',
      '\\{',
      '{a b}',
      '{a((((',
      '\n{! !}',
      '{a \'{a\' "{a"',
    ]) {
      time(part.repeat(1_000))
      const [short, long] = [time(part.repeat(2_000)), time(part.repeat(20_000))]
      expect(long, part).toBeLessThan(Math.max(short, 1) * 60 + 100)
    }
  })
})

describe('[Y41] nothing but own data is reached', () => {
  test.each([
    '{constructor}',
    '{__proto__}',
    '{toString}',
    '{a.constructor}',
    '{a.constructor.constructor}',
    '{list.constructor}',
    '{list.map}',
    '{text.constructor}',
    "{a['__proto__']}",
    "{a['constructor']['prototype']}",
    '{a.hasOwnProperty}',
    '{#let x=a.__proto__}{x}{/let}',
    '{globalThis}{process}{this.constructor}',
    '{list.__proto__.constructor}',
    '{n.constructor}',
    '{a.valueOf}',
    "{list['length']}",
    '{data:constructor}',
    "{a.get('constructor')}",
    "{a.containsKey('toString') ? 1 : ''}",
  ])('[Y41] %s', (text) => {
    expect(render(text, { a: { b: 1 }, list: [1], text: 'x', n: 1 })).toBe('')
  })

  test('[Y41] own data may have such names', () => {
    const data: JsonObject = JSON.parse('{"constructor":"mine","a":{"__proto__":{"x":1},"toString":"own"}}')
    expect(render('{constructor} {a.__proto__.x} {a.toString}', data)).toBe('mine 1 own')
  })

  test('[Y44] what a value renders is not looked at again', () => {
    const data = { a: '{b} {#for i in 9}x{/for} {|', b: 'secret' }
    expect(render('{a}{#let c=a}{c}{/let}{a.concat(a)}', data)).toBe(data.a.repeat(4))
    expect(render(render('{a.substring(0, 3)}', data), data)).toBe('secret')
  })
})

describe('[Y45] templates that were read before', () => {
  test('[Y45] the same text and mode is read once, the oldest are forgotten', () => {
    const cache = templates(2)
    const first = cache.get('{a}')
    expect(cache.get('{a}')).toBe(first)
    expect(cache.get('{a}', 'HTML')).not.toBe(first)
    expect(cache.get('{a}')).toBe(first)
    cache.get('{b}')
    expect(cache.get('{a}')).toBe(first)
    cache.get('{c}')
    cache.get('{d}')
    expect(cache.get('{a}')).not.toBe(first)
    expect(cache.get('{a b}').render({})).toBe('{a b}')
  })
})
