import { expect, test } from 'vitest'
import { collectedCommands } from '../../../session/command-log-fixture.ts'
import { CommandParser } from './command-parser.ts'

const UP = '\x1b[A'

/**
 * Possible texts of a line that was fetched from the history, as a screen of 40 columns shows it.
 */
function fetched(shown: string, prompt = '$ '): string[] {
  const parser = new CommandParser({ cols: 40, rows: 24 }, collectedCommands().begin)
  parser.output(prompt)
  parser.input(UP)
  parser.output(shown)
  return parser.edited().shown
}

test('marks and characters without width are read with the line: another line has none', () => {
  expect(fetched('l\u200bs')).toEqual(['l\u200bs'])
  expect(fetched('echo e\u0301 你\ufe0f好')).toEqual(['echo e\u0301 你\ufe0f好'])
})

test.each([
  ['inserted by a mode of the terminal', 'echo fa\b\x1b[4hX\x1b[4l'],
  ['moved up by the terminal', 'a\x1bM'],
  ['with lines that are moved', 'a\x1b[L'],
  ['repeated by the terminal', 'a\x1b[5b'],
  ['by a sequence of another make', 'ab\b\x1bQX'],
  ['moved by a control of another make', 'ab\x0bX'],
  ['with more marks than a character can have', `a${'\u0301'.repeat(100)}`],
])('a line that is changed as nobody can follow, %s, can not be read', (_, shown) => {
  expect(fetched(shown)).toEqual([])
})

test.each([
  ['colors and the form of the cursor', '\x1b[1;31mls\x1b[0m\x1b[5 q'],
  ['modes and reports', '\x1b[?1h\x1b=\x1b[?2004;25h\x1b[>4;1m\x1b[6nls'],
  ['titles and sets of characters', '\x1b]0;title\x07\x1b(Bls'],
])('what changes no text changes nothing: %s', (_, shown) => {
  expect(fetched(shown)).toEqual(['ls'])
})

test.each(['>', '<', '*', '+'])('a line that goes on beyond the edge, marked by %s, can not be read', (mark) => {
  expect(fetched('x'.repeat(37) + mark)).toEqual([])
  expect(fetched('x'.repeat(20) + mark)).toEqual(['x'.repeat(20) + mark])
})

test('a right prompt is none of the line; what may be one, and may be brought by the line, is read both ways', () => {
  const prompt = '$ \x1b[30Chost\x1b[34D'
  expect(fetched('ls', prompt)).toEqual(['ls'])
  const long = `echo ${'x'.repeat(25)}host`
  expect(fetched(long, prompt)).toEqual([`echo ${'x'.repeat(25)}`, long])
})

test('another program leaves a row that can be read behind it', () => {
  const parser = new CommandParser({ cols: 40, rows: 24 }, collectedCommands().begin)
  parser.output('\x1b[?1049h\x1b[5;5H\x1b[L\x1b[3M text\r\n\x1b[?1049l$ ')
  parser.input(UP)
  parser.output('ls')
  expect(parser.edited().shown).toEqual(['ls'])
})

test.each([
  ['bash', (search: string) => `\r(reverse-i-search)\`${search}': echo a`],
  ['bash, with nothing found yet', () => "\r(reverse-i-search)`': "],
  ['zsh', (search: string) => `echo a\r\nbck-i-search: ${search}_`],
])('what a search has found is read once it shows all that was typed: %s', (_, shown) => {
  const after = (search: string) => {
    const parser = new CommandParser({ cols: 40, rows: 24 }, collectedCommands().begin)
    parser.output('$ ')
    parser.input('\x12pla')
    parser.output(shown(search))
    return parser.edited().shown
  }
  expect(after('p')).toEqual([])
  expect(after('pl')).toEqual([])
  if (shown('pla') !== shown('p')) expect(after('pla')).toContain('echo a')
})

test('a find of zsh is read once it shows the whole typed text, whatever that is', () => {
  const parser = new CommandParser({ cols: 40, rows: 24 }, collectedCommands().begin)
  parser.output('$ ')
  parser.input('\x12a;b')
  parser.output('echo a\r\nbck-i-search: a;_')
  expect(parser.edited().shown).toEqual([])
  parser.output('\bb_')
  expect(parser.edited().shown.join()).toContain('echo a')
})
