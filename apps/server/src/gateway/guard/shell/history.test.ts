import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { expandHistory, possibleExpansions } from './history.ts'

const EARLIER = ['echo one "two  three" four', 'ls -la /srv; pwd', "printf '%s' a b"]

const LINES = [
  ...['!!', '!! more', '!-2', '!l', '!ec x', '!?srv?', '!?srv? x', '!$', 'x !^ y', '!*', '!:0 z', '!:1-2', '!-3:2'],
  ...['!-3:2*', '!e:$', '!!:s/a/b/', '!!:gs/ /_/', '^a^c', '^a^c^', '^a^c^ d', '^ a', '"!!"', 'echo \\!!'],
  ...["echo '!!' x", 'echo ! x', 'a!=b', 'echo "x!"', `echo "'!!'"`, 'plain'],
]

/** Output of bash itself, in place of running it. */
function byBash(line: string): string | undefined {
  const script = `set -o history; history -c\n${EARLIER.map((one) => `history -s -- ${quoted(one)}`).join('\n')}\nhistory -p -- ${quoted(line)}`
  try {
    return execFileSync('bash', ['--norc', '--noprofile', '-c', script], { stdio: 'pipe' }).toString().slice(0, -1)
  } catch {
    return undefined
  }
}
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

test.each(LINES)('%s expands as in bash', (line) => {
  expect(expandHistory(line, EARLIER)).toBe(byBash(line))
})

test('values that only the shell knows are not guessed: numbers, lines from before, modifiers', () => {
  for (const line of ['!5', '!zz', '!?nowhere?', '!-9', '!$:h', '!!:q', '^nowhere^x', '!:7', '!#'])
    expect([line, expandHistory(line, EARLIER)]).toEqual([line, undefined])
  expect(expandHistory('!!', [])).toBeUndefined()
})

test('text that the shell leaves as it is stays: `$!`, an indirection, `[!a]`, a blank or an end behind it', () => {
  for (const line of ['echo $! x', `echo $\{!x}`, 'ls [!a]*', 'if ! ls; then', 'grep ^foo^ x', 'echo hi!'])
    expect(expandHistory(line, EARLIER)).toBe(line)
})

test('lines that a shell may not have kept are counted back both ways', () => {
  expect(possibleExpansions('!!', ['#x', ' ls'])).toEqual(['ls', '#x'])
  expect(possibleExpansions('!-2', ['a', 'b', 'b'])).toEqual(['b', 'a'])
  expect(possibleExpansions('!-2', ['a', 'b', 'c', 'a'])).toEqual(['c'])
  expect(possibleExpansions('ls', ['a'])).toEqual(['ls'])
})
