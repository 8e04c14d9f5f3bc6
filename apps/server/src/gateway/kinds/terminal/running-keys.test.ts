import { expect, test } from 'vitest'
import { RunningKeys } from './running-keys.ts'

/** The effect of the last key. */
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
  ['Return of the keypad with a modifier', '\x1bO1M'],
  ['Return with a zero before its number', '\x1b[013u'],
  ['Ctrl-J with a zero before its number', '\x1b[0106;5u'],
  ['Ctrl-J with Caps Lock', '\x1b[106;69u'],
  ['Ctrl-J where the letter is another one', '\x1b[1086:1054:106;5u'],
  ['Return as xterm sends it, with a zero', '\x1b[027;1;13~'],
  ['Ctrl-M as xterm sends it', '\x1b[27;5;109~'],
  ['what is too long to be read', `\x1b[${'0'.repeat(100)}13u`],
])('keys that run %s run something else', (_, keys) => {
  expect(ranBy(keys)).toBe('others')
})

test.each([
  'a',
  '\x1b[A',
  '\x1b[130u',
  '\x1b[1;5C',
  '\x1bOA',
  'u',
  '13u',
  '\x1b[13',
  '\x1b\x1b[A',
  '\x05',
  ...[
    '\x1b[106;2u',
    '\x1b[106u',
    '\x1b[13~',
    '\x1b[200~',
    '\x1b[?13u',
    '\x1b[13A',
    '\x1b[13a3u',
    `\x1b[?${'64;'.repeat(40)}c`,
  ],
])('%j runs nothing', (keys) => {
  expect(ranBy(keys)).toBeUndefined()
})

test.each([
  ['Tab', 'echo $(ls)\t'],
  ['Tab, where backquotes stand', 'echo `ls`\t'],
  ['M-Ctrl-E', 'echo $(ls)\x1b\x05'],
  ['Ctrl-X *', 'echo $(ls)\x18*'],
  ['Ctrl-X g', 'echo $(ls)\x18g'],
  ['Esc Esc', 'echo "$(ls)\x1b\x1b'],
  ['Tab in a line that was recalled', '\x1b[A\t'],
  ['Tab behind a return that a search may have taken', '\x12(\r\t'],
  ['Tab behind a return that was quoted', 'echo $(ls)\x16\r\t'],
])('%s has a shell run the substitutions of a line', (_, keys) => {
  expect(ranBy(keys)).toBe('substitutions')
})

test('Tab runs nothing where no substitution can be', () => {
  for (const keys of ['ls /et\t', 'ls /et\t/ho\t', 'x\x7f\t', 'echo $(ls)\r\t', '\x1b[A\rls\r\t', '\t'])
    expect([keys, ranBy(keys)]).toEqual([keys, undefined])
})

test('a byte that may take the mark of a comment away does so in comments alone', () => {
  expect(ranBy('\xe6\xb3\xa3')).toBe('comment')
  expect(ranBy('\xe6\xb3\xa4')).toBeUndefined()
})
