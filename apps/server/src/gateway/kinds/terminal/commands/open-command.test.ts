import { expect, test } from 'vitest'
import { OpenCommand } from './open-command.ts'

/** The command when the last of these lines comes. */
function joined(...lines: string[]): string | undefined {
  const command = new OpenCommand()
  for (const line of lines.slice(0, -1)) command.add(line)
  return command.with(lines.at(-1) ?? '')
}

test.each([
  ['a backslash', ['echo a \\', 'b'], 'echo a b'],
  ['a single quote', ["echo 'a", "b'"], "echo 'a\nb'"],
  ['a double quote', ['echo "a \\"', 'b"'], 'echo "a \\"\nb"'],
  ['a backquote', ['echo `date', '`'], 'echo `date\n`'],
  ['a pipe at the end', ['ls |', 'wc'], 'ls |\nwc'],
  ['and at the end', ['true &&', 'ls'], 'true &&\nls'],
  ['a parenthesis', ['(cd /srv', 'ls)'], '(cd /srv\nls)'],
  ['a function', ['f() {', 'ls; }'], 'f() {\nls; }'],
  ['a loop', ['for i in 1; do', 'ls', 'done'], 'for i in 1; do\nls\ndone'],
  [
    'a condition in a loop',
    ['while true; do if true; then', 'ls; fi', 'done'],
    'while true; do if true; then\nls; fi\ndone',
  ],
  ['a here document', ['cat <<E', 'done', 'E'], 'cat <<E\ndone\nE'],
  ['two of them', ['cat <<A <<B', 'A', 'B'], 'cat <<A <<B\nA\nB'],
  ['an indented one, its end in quotes', ["cat <<-'E'", '\tx', '\tE'], "cat <<-'E'\n\tx\n\tE"],
])('goes on over the line end: %s', (_, lines, whole) => {
  expect(joined(...lines)).toBe(whole)
})

test.each([
  ['a plain command', ['ls', 'pwd']],
  ['quotes that are closed', ['echo "a" \'b\' `c`', 'pwd']],
  ['a quote behind a backslash', ["echo it\\'s", 'pwd']],
  ['a quote in a comment', ["ls # it's", 'pwd']],
  ['words that open nothing where no command stands', ['echo if for {', 'pwd']],
  ['a here string', ['cat <<< E', 'pwd']],
  ['a loop that is closed', ['for i in 1; do ls; done', 'pwd']],
  ['a here document that is closed', ['cat <<E', 'x', 'E', 'pwd']],
  ['a semicolon at the end', ['ls ;', 'pwd']],
  ['in the background', ['ls &', 'pwd']],
])('is one of its own after %s', (_, lines) => {
  expect(joined(...lines)).toBeUndefined()
})

test('a command that was given up is forgotten, and one that grew too long is known to be cut until it ends', () => {
  const command = new OpenCommand()
  command.add("echo 'a")
  expect(command.isOpen).toBe(true)
  command.clear()
  expect([command.isOpen, command.with("b'")]).toEqual([false, undefined])

  command.add(`echo '${'x'.repeat(64 * 1024)}`)
  expect([command.isOpen, command.isCut]).toEqual([true, true])
  command.clear()
  expect(command.isCut).toBe(false)
})
