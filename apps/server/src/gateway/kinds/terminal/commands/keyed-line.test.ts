import { expect, test } from 'vitest'
import { KeyedLine } from './keyed-line.ts'

const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'

function typed(keys: string, takesPastes = true): KeyedLine {
  const line = new KeyedLine()
  for (const key of keys) line.take(key, takesPastes)
  return line
}

test('characters are the line, Chinese and emoji among them', () => {
  expect(typed('echo 重启 🚪').line).toEqual({
    text: 'echo 重启 🚪',
    withErased: undefined,
    isKnown: true,
    known: '',
    run: 'echo 重启 🚪',
    isDoubted: false,
    mayBeFetched: false,
    mayBeKeys: true,
    isCut: false,
    hasRows: false,
  })
})

test.each([
  ['backspace', 'lsx\x7f', 'ls', 'lsx'],
  ['backspace over a character of two units', 'ls🚪\x7f', 'ls', 'ls🚪'],
  ['Ctrl-H', 'lsx\b', 'ls', 'lsx'],
  ['Ctrl-U', 'reboot\x15ls', 'ls', 'rebootls'],
  ['backspace on an empty line', '\x7fls', 'ls', 'ls'],
])(
  'text that is erased by %s leaves the line, and is kept beside it: the machine may have another key for that',
  (_, keys, text, withErased) => {
    expect(typed(keys).line).toMatchObject({ text, withErased, isKnown: true })
  },
)

test.each([
  ['the history', '\x1b[A'],
  ['completion', 'ec\t'],
  ['a search', '\x12ec'],
  ['yanking', 'x\x15\x19'],
  ['characters behind a jump to the beginning', 'cho\x01e'],
  ['erasing behind a jump', 'echo\x01\x7f'],
  ['a jump to the end, where a shell may have suggested more', 'ec\x05'],
  ['an upper control', 'ec\x9b'],
])('after %s nobody knows the line by its keys', (_, keys) => {
  expect(typed(keys).line.isKnown).toBe(false)
})

test.each([
  ['a redraw', 'ls\x0c'],
  ['a jump that nothing follows', 'ls\x01'],
])('%s changes nothing', (_, keys) => {
  expect(typed(keys).line).toMatchObject({ text: 'ls', isKnown: true })
})

test('return and Ctrl-J end a line, Ctrl-O fetches one that nobody has typed, Ctrl-C and Ctrl-D on an empty line start again', () => {
  const line = new KeyedLine()
  for (const key of ['\r', '\n']) {
    line.take('x', true)
    expect(line.take(key, true)).toBe(true)
    expect(line.line).toMatchObject({ text: '', isKnown: true })
  }
  expect(line.take('\x0f', true)).toBe(true)
  expect(line.line.isKnown).toBe(false)
  expect(typed('\x1b[A\x03ls').line).toMatchObject({ text: 'ls', isKnown: true })
  expect(typed('\x04ls').line).toMatchObject({ text: 'ls', isKnown: true })
  // Behind characters it hands them over, or lists.
  expect(typed('ls\x04').line.isKnown).toBe(false)
})

test('a paste is text with its line ends, wherever a line editor takes it; elsewhere its lines are run', () => {
  const line = new KeyedLine()
  const ends = [...`a${PASTE_BEGINS}b\nc${PASTE_ENDS}`].map((key) => line.take(key, true))
  expect(ends).not.toContain(true)
  expect(line.line).toMatchObject({ text: 'ab\nc', isKnown: true, hasRows: true })
  expect(typed(`${PASTE_BEGINS}b\nc${PASTE_ENDS}`, false).line.isKnown).toBe(false)
  const plain = new KeyedLine()
  for (const key of `${PASTE_BEGINS}b`) plain.take(key, false)
  expect(plain.take('\n', false)).toBe(true)
})

test('more than 64 k characters are not kept, and the line says so', () => {
  const line = typed('x'.repeat(64 * 1024 + 1)).line
  expect([line.text.length, line.isCut]).toEqual([64 * 1024, true])
})

test('keys that go to a full-screen program are of no known line, until a return', () => {
  const line = new KeyedLine()
  for (const key of ':q') line.takeUnseen(key)
  expect(line.line).toMatchObject({ text: ':q', isKnown: false })
  line.takeUnseen('\r')
  expect(line.line).toMatchObject({ text: '', isKnown: true })
})
