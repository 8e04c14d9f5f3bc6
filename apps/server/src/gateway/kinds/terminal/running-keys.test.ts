import { expect, test } from 'vitest'
import { RunningKeys } from './running-keys.ts'

/** What the last of the keys runs. */
function ranBy(keys: string): unknown {
  const running = new RunningKeys()
  return Array.from(Buffer.from(keys, 'latin1'), (byte) => running.take(byte)).at(-1)
}

test.each([
  ['Return', '\r'],
  ['Ctrl-J', 'ls\n'],
  ['Ctrl-O', '\x0f'],
  ['Ctrl-D', '\x04'],
  ['M-a', '\x1ba'],
])('%s runs the line', (_, keys) => {
  expect(ranBy(keys)).toBe('line')
})

test.each([
  ['what an editor writes', '\x18\x05'],
  ['what was recorded', '\x18e'],
  ['a line without its mark', '\x1b#'],
  ['Return as a sequence', '\x1b[13u'],
  ['Return with Shift as a sequence', '\x1b[13;2u'],
  ['Return of the keypad as a sequence', '\x1b[57414u'],
  ['Ctrl-J as a sequence', '\x1b[106;5u'],
  ['Return as xterm sends it with modifiers', '\x1b[27;5;13~'],
  ['Return of the keypad', '\x1bOM'],
])('keys that run %s run something else', (_, keys) => {
  expect(ranBy(keys)).toBe('others')
})

test.each(['a', '\x1b[A', '\x1b[130u', '\x1b[1;5C', '\x1bOA', 'u', '13u', '\x1b[13', '\x1b\x1b[A', '\x05'])(
  '%j runs nothing',
  (keys) => {
    expect(ranBy(keys)).toBeUndefined()
  },
)

test('a byte that may take the mark of a comment away does so in comments alone', () => {
  expect(ranBy('\xe6\xb3\xa3')).toBe('comment')
  expect(ranBy('\xe6\xb3\xa4')).toBeUndefined()
})
