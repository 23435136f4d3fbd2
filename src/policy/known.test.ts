import { expect, test } from 'vitest'
import { commandsOf } from './command.ts'
import { leavesAll } from './known.ts'

const isKnown = (line: string) => leavesAll(commandsOf(line), line)

test.each([
  'ls -la src',
  'cat a.ts',
  'grep -rn needle src',
  "find . -name '*.ts' -type f",
  'git status',
  'git --no-pager diff --stat',
  'git log --oneline -5',
  'sh -c "cat a.ts | head -5"',
  "sh -c 'ls src && wc -l a.ts 2>/dev/null'",
  'timeout 5 ls',
  'sed -n 1,20p a.ts',
  'sort a.txt',
  'npm --version',
])('[D7] %s leaves what is there', (line) => {
  expect(isKnown(line)).toBe(true)
})

test.each([
  'npm test',
  'make',
  'sh setup.sh',
  './ls',
  'bin/cat a',
  'node -e "x"',
  'perl -e x',
  'bash',
  'bash <<< "ls"',
  'sh -c "cat x.sh | sh"',
  'sh -c "echo cm0= | base64 -d | sh"',
  'sh -c "cat a > b"',
  'sh -c ": >> b"',
  "sh -c 'ls *'",
  "sh -c '$X a'",
  "sh -c 'cat `x`'",
  `sh -c "cat $'\\''; rm a #'"`,
  'X=1 ls',
  "sh -c 'PATH=. ls'",
  'env -S "rm a"',
  'find . -exec ls {} ; -exec rm {} ;',
  'find . -delete',
  'find . -fprintf a x',
  'xargs cat',
  'sort -o a a',
  'sort -ro a a',
  'sort --output=a a',
  'uniq a b',
  'sed -n 1p -i a',
  'sed -i s/a/b/ a',
  'git commit -m x',
  'git -c core.pager=x log',
  'git -C evil status',
  'git diff --output=a',
  'git grep -Ox y',
  'cp a b',
  'tee a',
  'command -p rm a',
  'sh -c "sh -c \\"sh -c \'sh -c ls\'\\""',
  '',
])('[D7] %s may do anything', (line) => {
  expect(isKnown(line)).toBe(false)
})
