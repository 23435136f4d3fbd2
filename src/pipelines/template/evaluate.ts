// From an expression to a function that gives its value.
import type { Json } from '../../base/json.ts'
import { functions, methods } from './functions.ts'
import { Call, type Method } from './methods.ts'
import type { Names } from './names.ts'
import type { Evaluate, Run } from './run.ts'
import type { BinaryOperator, Expression } from './syntax.ts'
import { areEqual, elementAt, isList, isMap, isOrdered, isTruthy, kindOf, numberOf, order, ownMember, textOf } from './values.ts'

type ExpressionOf<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>

export function evaluator(expression: Expression, names: Names): Evaluate {
  switch (expression.kind) {
    case 'literal':
      return () => expression.value
    case 'name':
      return names.get(expression.name)
    case 'root':
      return (run) => run.data
    case 'member':
      return member(expression, evaluator(expression.of, names))
    case 'index':
      return index(expression, names)
    case 'call':
      return call(
        expression,
        methods.get(expression.name),
        [expression.of, ...expression.args].map((one) => evaluator(one, names)),
      )
    case 'space':
      return call(
        expression,
        functions.get(expression.name),
        expression.args.map((one) => evaluator(one, names)),
      )
    case 'not':
      return negation(evaluator(expression.of, names))
    case 'binary':
      return binary(expression, names)
    case 'choice':
      return choice(expression, names)
  }
}

/** An own member of an object, an element of a list by its number, or what a method without arguments gives. */
function member({ name, at }: ExpressionOf<'member'>, of: Evaluate): Evaluate {
  const method = methods.get(name)
  const bare = method && method.args[0] === 0 ? method : null
  return (run) => {
    const value = of(run)
    if (isMap(value) && Object.hasOwn(value, name)) return ownMember(value, name)
    if (bare?.bare.includes(kindOf(value))) return bare.apply(new Call(run, at, [value]))
    return isList(value) ? elementAt(value, name) : null
  }
}

function index({ of, key }: ExpressionOf<'index'>, names: Names): Evaluate {
  const value = evaluator(of, names)
  const place = evaluator(key, names)
  return (run) => {
    const [found, at] = [value(run), place(run)]
    if (typeof at !== 'string' && typeof at !== 'number') return null
    if (isMap(found)) return ownMember(found, textOf(at))
    return isList(found) ? elementAt(found, textOf(at)) : null
  }
}

function call(
  { at, name }: { readonly at: number; readonly name: string },
  method: Method | undefined,
  parts: readonly Evaluate[],
): Evaluate {
  return (run) => {
    run.step(at)
    if (!method) throw run.fault(`there is no function ${name}()`, at)
    const [self = null, ...args] = parts.map((part) => part(run))
    return method.apply(new Call(run, at, [self, ...args]))
  }
}

function negation(of: Evaluate): Evaluate {
  return (run) => !isTruthy(of(run), (characters) => run.work(characters, 0))
}

function choice({ test, yes, no }: ExpressionOf<'choice'>, names: Names): Evaluate {
  const [isSo, then, otherwise] = [evaluator(test, names), evaluator(yes, names), evaluator(no, names)]
  return (run) => (isTruthy(isSo(run), (characters) => run.work(characters, 0)) ? then(run) : otherwise(run))
}

type Operate = (run: Run, at: number, sides: readonly [Evaluate, Evaluate]) => Json

function binary({ operator, at, left, right }: ExpressionOf<'binary'>, names: Names): Evaluate {
  const operate = operations[operator]
  const sides = [evaluator(left, names), evaluator(right, names)] as const
  return (run) => {
    run.step(at)
    return operate(run, at, sides)
  }
}

const operations: { readonly [operator in BinaryOperator]: Operate } = {
  '?:': (run, _at, [left, right]) => left(run) ?? right(run),
  '&&': (run, at, [left, right]) => isTrue(run, at, left) && isTrue(run, at, right),
  '||': (run, at, [left, right]) => isTrue(run, at, left) || isTrue(run, at, right),
  '==': (run, at, [left, right]) => areEqual(left(run), right(run), measuring(run, at)),
  '!=': (run, at, [left, right]) => !areEqual(left(run), right(run), measuring(run, at)),
  '>': comparison('>'),
  '>=': comparison('>='),
  '<': comparison('<'),
  '<=': comparison('<='),
  '+': add,
  '-': (run, _at, [left, right]) => subtract(left(run), right(run)),
}

function comparison(operator: '>' | '>=' | '<' | '<='): Operate {
  return (run, at, [left, right]) => isOrdered(operator, order(left(run), right(run), measuring(run, at)))
}

function isTrue(run: Run, at: number, evaluate: Evaluate): boolean {
  return isTruthy(evaluate(run), measuring(run, at))
}

function measuring(run: Run, at: number): (characters: number) => void {
  return (characters) => run.work(characters, at)
}

/** Numbers are added; anything else is put together as text. */
function add(run: Run, at: number, [left, right]: readonly [Evaluate, Evaluate]): Json {
  const [one, other] = [left(run), right(run)]
  if (typeof one === 'number' && typeof other === 'number') return one + other
  const [text, more] = [textOf(one), textOf(other)]
  run.make(text.length + more.length, at)
  return text + more
}

function subtract(left: Json, right: Json): Json {
  const [one, other] = [numberOf(left), numberOf(right)]
  return one === null || other === null ? null : one - other
}
