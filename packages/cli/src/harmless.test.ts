import { expect, test } from 'vitest'
import { harmless } from './harmless.ts'

test.each([
  ['text and colors', '\x1b[1;31mred\x1b[0m\r\n', '\x1b[1;31mred\x1b[0m\r\n'],
  ['the other screen', '\x1b[?1049hvi\x1b[2;5H', '\x1b[?1049hvi\x1b[2;5H'],
  ['questions to the terminal', 'a\x1b[6n\x1b[c\x1b[>c\x1b[?1$p\x05b', 'ab'],
  ['the clipboard and titles', 'a\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x1b\\b', 'ab'],
  ['device strings', 'a\x1bP$q"p\x1b\\\x1b_Gi=1;AAAA\x1b\\b', 'ab'],
  ['modes of mouse and keyboard', 'a\x1b[?1003h\x1b[?2004h\x1b[>4;2m\x1b[=1ub', 'ab'],
  ['windows, printers and rebounding keys', 'a\x1b[8;999;999t\x1b[5i\x1b[?1;2hb', 'ab'],
  ['absurd numbers', 'a\x1b[2147483647bb', 'ab'],
  ['controls of eight bits', 'a\x9b6n\x90x\x9cb', 'a6nxb'],
  ['a question around a zero byte', 'a\x1b\x00[6nb', 'a[6nb'],
  ['a question behind one that is left out', 'a\x1b\x1b[c[6nb', 'a[6nb'],
  ['the clipboard around zero bytes', 'a\x1b\x00]52;c;B64\x1b\x00\\b', 'a]52;c;B64\\b'],
  ['a question around a new line', 'a\x1b\r[6n\x1b[\n6nb', 'a\r[6n\n6nb'],
  ['a question around an eight-bit control', 'a\x1b\x84[6n\x1b\x7f[6nb', 'a[6n[6nb'],
])('a replay plays %s as a terminal may take it', (_what, recorded, shown) => {
  expect(harmless()(recorded)).toBe(shown)
  // However it is cut.
  const inPieces = (pieces: Iterable<string>) => Array.from(pieces, harmless()).join('')
  expect(inPieces(recorded)).toBe(shown)
  for (let at = 1; at < recorded.length; at++)
    expect(inPieces([recorded.slice(0, at), recorded.slice(at)]), `cut at ${at}`).toBe(shown)
})

test('an ESC that is left of a recorded text begins a sequence that the list has', () => {
  const parts = [
    '\x1b',
    '\x1b',
    '[',
    ']',
    '(',
    'P',
    '6n',
    '31m',
    'c',
    '?',
    ';',
    '\x00',
    '\r',
    '\x07',
    '\\',
    '\x9b',
    'a',
  ]
  // A generator of Park and Miller: the same texts each time.
  let seed = 20261130
  const next = () => (seed = (seed * 48271) % 2147483647) % parts.length
  for (let n = 0; n < 5000; n++) {
    const recorded = Array.from({ length: 12 }, () => parts[next()]).join('')
    const left = harmless()(recorded).split('\x1b').slice(1)
    const unknown = left.filter((text) => !/^(\[[0-9;]*[maPJH]|\([0-9A-Za-z])/.test(text))
    expect(unknown, JSON.stringify(recorded)).toEqual([])
  }
})
