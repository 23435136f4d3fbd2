// A command read as a shell would read it, far enough to see what it does. It only ever raises a risk: what hides from it is still
// held by the sandbox.

export type Command = {
  /** The program's own name, without its folder, and what it was given. */
  readonly program: string
  readonly args: readonly string[]
  /** Files that it writes by a redirection. */
  readonly writes: readonly string[]
  /** It was named without a folder: not a program that lies in the project. */
  readonly isOfSystem: boolean
}

/** Stands for all that was nested too deep, or came too late, to be read: whatever it is. No program has such a name. */
export const unread = '(unread)'
const rest: Command = { program: unread, args: [], writes: [], isOfSystem: false }

const mostDepth = 4
const mostCommands = 200
/** Programs that run the rest of their arguments, with the options of theirs that take a value. */
const wrappers: Readonly<Record<string, RegExp>> = {
  env: /^-[uCS]$/,
  nice: /^-n$/,
  nohup: /^$/,
  time: /^-[fo]$/,
  timeout: /^-[ks]$/,
  stdbuf: /^-[ioe]$/,
  ionice: /^-[cnp]$/,
  setsid: /^$/,
  command: /^$/,
  exec: /^-a$/,
  builtin: /^$/,
  busybox: /^$/,
  xargs: /^-[adEeIiLlnPs]$/,
  sudo: /^-[CghpRrtTUu]$/,
  doas: /^-[Cu]$/,
  eval: /^$/,
}
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish'])

/** Every command in it, those of wrappers, substitutions and `sh -c` too. */
export function commandsOf(text: string, depth = 0): readonly Command[] {
  const found: Command[] = []
  const { commands, isWhole } = split(text)
  for (const words of commands) {
    if (found.length >= mostCommands) return [...found, rest]
    found.push(...unwrap(words, depth))
  }
  return isWhole ? found : [...found, rest]
}

type Words = { readonly words: readonly string[]; readonly writes: readonly string[] }

function unwrap({ words, writes }: Words, depth: number): readonly Command[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word) && !/^(then|do|else|if|while|until|!|\{|\()$/.test(word))
  const program = words[start]
  if (start < 0 || program === undefined) return writes.length > 0 ? [{ program: '', args: [], writes, isOfSystem: true }] : []
  const args = words.slice(start + 1)
  const name = baseName(program)
  const own: Command = { program: name, args, writes, isOfSystem: !program.includes('/') }
  const inner = innerOf(name, args)
  if (inner === null) return [own]
  return depth >= mostDepth ? [own, rest] : [own, ...inner.flatMap((text) => commandsOf(text, depth + 1))]
}

/** The texts that this command runs in turn; null for none. */
function innerOf(name: string, args: readonly string[]): readonly string[] | null {
  if (shells.has(name)) {
    const at = args.findIndex((arg) => /^-[a-z]*c[a-z]*$/.test(arg))
    const onInput = args.indexOf('<<<')
    return [at < 0 ? undefined : args[at + 1], onInput < 0 ? undefined : args[onInput + 1]].filter((script) => script !== undefined)
  }
  if (name === 'find') return afterExec(args)
  const withValue = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (withValue === undefined) return null
  let at = 0
  while (at < args.length && isOption(args[at] ?? '')) at += withValue.test(args[at] ?? '') ? 2 : 1
  if (name === 'timeout') at += 1
  const rest = args.slice(at)
  if (rest.length === 0) return null
  return [name === 'eval' ? rest.join(' ') : rest.map(quoted).join(' ')]
}

function afterExec(args: readonly string[]): readonly string[] | null {
  const at = args.findIndex((arg) => /^-(exec|execdir|ok|okdir)$/.test(arg))
  return at < 0
    ? null
    : [
        args
          .slice(at + 1)
          .filter((arg) => !/^(;|\+|\\;)$/.test(arg))
          .map(quoted)
          .join(' '),
      ]
}

function isOption(arg: string): boolean {
  return arg.startsWith('-') || /^[A-Za-z_]\w*=/.test(arg)
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase()
}

type Reading = {
  word: string
  isWord: boolean
  words: string[]
  writes: string[]
  redirects: boolean
  commands: Words[]
  isWhole: boolean
  readonly depth: number
}

type Split = Pick<Reading, 'commands' | 'isWhole'>

/** By `;`, `&`, `|`, new lines and brackets outside quotes; substitutions are commands of their own. `isWhole`: read to its end. */
function split(text: string, depth = 0): Split {
  const at: Reading = { word: '', isWord: false, words: [], writes: [], redirects: false, commands: [], isWhole: true, depth }
  let i = 0
  while (i < text.length && at.commands.length < mostCommands) i = step(at, text, i)
  endCommand(at)
  return { commands: at.commands, isWhole: at.isWhole && i >= text.length }
}

function substitute(at: Reading, text: string): void {
  if (at.depth >= mostDepth || at.commands.length >= mostCommands) {
    at.isWhole = false
    return
  }
  const inner = split(text, at.depth + 1)
  at.commands.push(...inner.commands)
  at.isWhole &&= inner.isWhole
}

function step(at: Reading, text: string, i: number): number {
  const char = text[i] ?? ''
  if (char === "'") return take(at, text, { from: i + 1, to: text.indexOf("'", i + 1) })
  if (char === '"') return doubleQuoted(at, text, i + 1)
  if (char === '\\') return take(at, text, { from: i + 1, to: i + 2 }) - 1
  if (char === '$' && text[i + 1] === '(') return breakAt(at, i + 2)
  if (char === '>') return redirect(at, text, i)
  if (/[;&|\n`()]/.test(char)) return breakAt(at, i + 1)
  if (/\s/.test(char)) endWord(at)
  else {
    at.word += char
    at.isWord = true
  }
  return i + 1
}

function take(at: Reading, text: string, { from, to }: { readonly from: number; readonly to: number }): number {
  const end = to < 0 ? text.length : Math.min(to, text.length)
  at.word += text.slice(from, end)
  at.isWord = true
  return end + 1
}

function doubleQuoted(at: Reading, text: string, from: number): number {
  at.isWord = true
  for (let i = from; i < text.length; i++) {
    const char = text[i]
    if (char === '"') return i + 1
    if (char === '\\') i++
    // A substitution inside quotes runs too.
    if ((char === '$' && text[i + 1] === '(') || char === '`') {
      const start = char === '`' ? i + 1 : i + 2
      const end = text.indexOf(char === '`' ? '`' : ')', start)
      substitute(at, text.slice(start, end < 0 ? text.length : end))
    }
    at.word += text[i] ?? ''
  }
  return text.length
}

function redirect(at: Reading, text: string, i: number): number {
  if (/^\d$|^$/.test(at.word)) at.word = ''
  else endWord(at)
  at.isWord = false
  at.redirects = true
  let next = i + 1
  while (/[>|]/.test(text[next] ?? '')) next++
  // `2>&1` names no file.
  if (text[next] === '&') {
    at.redirects = false
    next++
    while (/[\d-]/.test(text[next] ?? '')) next++
  }
  return next
}

function breakAt(at: Reading, next: number): number {
  endCommand(at)
  return next
}

function endWord(at: Reading): void {
  if (!at.isWord) return
  if (at.redirects) at.writes.push(at.word)
  else at.words.push(at.word)
  Object.assign(at, { word: '', isWord: false, redirects: false })
}

function endCommand(at: Reading): void {
  endWord(at)
  if (at.words.length > 0 || at.writes.length > 0) at.commands.push({ words: at.words, writes: at.writes })
  Object.assign(at, { words: [], writes: [], redirects: false })
}
