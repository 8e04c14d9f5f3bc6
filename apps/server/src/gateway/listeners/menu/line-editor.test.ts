import { expect, test } from 'vitest'
import { KeyReader } from '../../prompt/keys.ts'
import { MAX_LINE } from './line.ts'
import { LineEditor } from './line-editor.ts'
import { openScreen } from './screen-fixture.ts'

function open(cols = 80) {
  const screen = openScreen(cols)
  const editor = new LineEditor(screen)
  return { screen, editor, type: (text: string | Buffer) => editor.input(Buffer.from(text)) }
}

/** Result of typing these keys at a prompt. */
async function typed(keys: string) {
  const { editor, type } = open()
  const answer = editor.read('Opt> ')
  type(keys)
  return answer
}

test.each([
  ['plain', 'web-1', 'web-1'],
  ['Ctrl-A and Ctrl-E', 'b\x01a\x05c', 'abc'],
  ['Ctrl-B and Ctrl-F', 'ac\x02b\x06d', 'abcd'],
  ['arrows', 'ac\x1b[Db\x1b[Cd', 'abcd'],
  ['arrows of application mode', 'ac\x1bODb\x1bOCd', 'abcd'],
  ['Home and End of xterm', 'b\x1b[Ha\x1b[Fc', 'abc'],
  ['Home and End of PuTTY', 'b\x1b[1~a\x1b[4~c', 'abc'],
  ['Delete', 'abxc\x02\x02\x1b[3~', 'abc'],
  ['Ctrl-D inside a line', 'abxc\x02\x02\x04', 'abc'],
  ['backspace of either kind', 'abxy\x7f\bc', 'abc'],
  ['backspace at the start', '\x7f\x7fabc', 'abc'],
  ['Ctrl-U kills what is before the cursor', 'gone\x15abc', 'abc'],
  ['Ctrl-K kills what is after the cursor', 'abcgone\x02\x02\x02\x02\x0b', 'abc'],
  ['Ctrl-W kills a word', 'abc gone \x17', 'abc '],
  ['Ctrl-Y puts back what was killed', 'abc\x15\x19\x19', 'abcabc'],
  ['Alt-B, Alt-F, Alt-D', 'b c gone\x1bb\x1bd\x1bb\x1bba \x1bf', 'a b c '],
  ['Ctrl-arrows go by words', 'b c\x1b[1;5D\x1b[1;5Da \x1b[1;5C', 'a b c'],
  ['Chinese', '数据库\x7f库', '数据库'],
  ['Chinese in the middle', '数库\x1b[D据', '数据库'],
  ['a mark goes with its character', 'e\u0301x\x7f\x7fa', 'a'],
  ['keys without a meaning', 'a\x1b[15~b\x1b[200~c\x1b[201~\td\x1b[?1;2c', 'abcd'],
  ['answers of the terminal', 'a\x1b]11;rgb:ffff/ffff/ffff\x07b\x1bP1$r0m\x1b\\c', 'abc'],
])('%s', async (_name, keys, text) => {
  expect(await typed(`${keys}\r`)).toEqual({ text })
})

test.each([
  ['\x03', 'interrupted'],
  ['abc\x03', 'interrupted'],
  ['\x04', 'ended'],
  ['abc\x15\x04', 'ended'],
] as const)('%j ends the line as %s', async (keys, answer) => {
  expect(await typed(keys)).toBe(answer)
})

test.each(['\r', '\n', '\r\n'])('%j ends a line once', async (end) => {
  const { editor, type } = open()
  const first = editor.read('> ')
  type(`one${end}two${end}`)
  expect(await first).toEqual({ text: 'one' })
  expect(await editor.read('> ')).toEqual({ text: 'two' })
})

test('characters and keys may be split anywhere', async () => {
  const bytes = Buffer.from('数库\x1b[D据\x1b[1;5D门\x1b]0;title\x1b\\e\u0301\r')
  for (let cut = 1; cut < bytes.length; cut++) {
    const { editor, type } = open()
    const answer = editor.read('> ')
    type(bytes.subarray(0, cut))
    type(bytes.subarray(cut))
    expect(await answer, `cut at ${cut}`).toEqual({ text: '门e\u0301数据库' })
  }
})

test('the cursor stands right after double-width characters', async () => {
  const { screen, editor, type } = open()
  void editor.read('主机> ')
  type('数据库a')
  expect(await screen.line()).toEqual({ text: '主机> 数据库a', column: 13 })
  type('\x1b[D\x1b[D')
  expect(await screen.line()).toEqual({ text: '主机> 数据库a', column: 10 })
  type('\x7f')
  expect(await screen.line()).toEqual({ text: '主机> 数库a', column: 8 })
})

test('a long line shows the part around the cursor, in one row', async () => {
  const { screen, editor, type } = open(20)
  const answer = editor.read('Opt> ')
  const text = Array.from({ length: 30 }, (_, n) => `第${n}`).join('')
  for (const character of text) {
    type(character)
    const { column } = await screen.line()
    expect(column).toBeLessThan(20)
  }
  expect((await screen.line()).text).toMatch(/^Opt> \S*第29$/)
  type('\x01')
  expect(await screen.line()).toEqual({ text: 'Opt> 第0第1第2第3第', column: 5 })
  type('\r')
  expect(await answer).toEqual({ text })
  expect((await screen.lines()).filter(Boolean).length).toBe(1)
})

test.each([10, 30, 120])(
  'after a resize from 80 to %i columns the line stands once, and the cursor where it was',
  async (cols) => {
    const { screen, editor, type } = open(80)
    screen.write('above\r\n')
    void editor.read('Opt> ')
    type('web-1 数据库 web-2 数据库 web-3')
    screen.resize(cols, 24)
    editor.resize()
    type('!')
    const lines = (await screen.lines()).filter(Boolean)
    expect([lines.length, lines[0], lines[1]?.startsWith('Opt> '), lines[1]?.endsWith('!')]).toEqual([
      2,
      'above',
      true,
      true,
    ])
  },
)

test('Ctrl-L clears the screen and keeps the line', async () => {
  const { screen, editor, type } = open()
  screen.write('old text\r\n')
  void editor.read('Opt> ')
  type('web\x0c-1')
  expect((await screen.lines()).filter(Boolean)).toEqual(['Opt> web-1'])
})

test('the up arrow brings back earlier lines, the down arrow what was being typed', async () => {
  const { editor, type } = open()
  for (const text of ['one', 'two', 'two', '']) {
    const answer = editor.read('> ')
    type(`${text}\r`)
    await answer
  }
  const secret = editor.read('ID> ', { remember: false })
  type('7\r')
  await secret
  const answer = editor.read('> ')
  type('draft\x1b[A\x1b[A\x1b[A\x10!\x0e\x1b[B\x1b[B-kept\r')
  expect(await answer).toEqual({ text: 'draft-kept' })
  const again = editor.read('> ')
  type('\x1b[A\x1b[A\x1b[A\r')
  expect(await again).toEqual({ text: 'one' })
})

test('lines of a paste wait for those who read them; what was typed ahead can be forgotten', async () => {
  const { editor, type } = open()
  type('one\rtwo\rthree\rfo')
  expect([await editor.read('> '), await editor.read('> ')]).toEqual([{ text: 'one' }, { text: 'two' }])
  editor.forgetAhead()
  const answer = editor.read('> ')
  type('five\r')
  expect(await answer).toEqual({ text: 'five' })
})

test('Ctrl-C throws away what was typed ahead', async () => {
  const { editor, type } = open()
  type('one\rtwo\r\x03')
  expect(await editor.read('> ')).toBe('interrupted')
})

test('a megabyte without a line end is a line of bounded length, one with line ends a bounded number of lines', async () => {
  const { editor, type, screen } = open()
  const long = editor.read('> ')
  for (let n = 0; n < 32; n++) type('数'.repeat(11_000))
  type('\r')
  expect(((await long) as { text: string }).text).toBe('数'.repeat(MAX_LINE))
  expect(screen.raw().length).toBeLessThan(100_000)
  for (let n = 0; n < 32; n++) type('x\r'.repeat(16_000))
  let lines = 0
  editor.input(Buffer.from('last\r'))
  for (; lines < 1000; lines++) {
    const answer = await Promise.race([
      editor.read('> '),
      new Promise((resolve) => setImmediate(resolve, 'nothing more')),
    ])
    if (answer === 'nothing more') break
    expect(answer).toEqual({ text: 'x' })
  }
  expect(lines).toBeGreaterThan(5)
  expect(lines).toBeLessThan(50)
})

test('hostile bytes never act on the terminal and never kill the keyboard', async () => {
  const { editor, type, screen } = open()
  const before = editor.read('> ')
  const bytes = Array.from({ length: 65_536 }, (_, n) => (n * 7919 + (n >> 3)) % 256)
  type(Buffer.from(bytes.filter((byte) => byte !== 3 && byte !== 4)))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: allowed control characters
  expect(screen.raw().replace(/\x1b\[(?:K|\d+C|2J|H)|\r/g, '')).not.toMatch(/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]/)
  await before
  editor.forgetAhead()
  for (const opening of [
    '\x1b',
    '\x1b[',
    '\x1bO',
    '\x1b]',
    '\x1bP',
    '\x1b[1;',
    `\x1b[${'9'.repeat(100)}`,
    `\x1b]${'x'.repeat(5000)}`,
  ]) {
    const { editor, type } = open()
    type(`${opening}\x03`)
    expect(await editor.read('> '), JSON.stringify(opening)).toBe('interrupted')
    const answer = editor.read('> ')
    type('alive\r')
    expect(await answer).toEqual({ text: 'alive' })
  }
})

test('a line of a terminal that is gone is ended, and so are later ones', async () => {
  const { editor, type } = open()
  const answer = editor.read('> ')
  editor.close()
  type('late\r')
  expect([await answer, await editor.read('> ')]).toEqual(['ended', 'ended'])
})

test('keys of a reader are text or names, nothing else', () => {
  expect([...new KeyReader().read(Buffer.from('a\x00\u202e\ufeff门\x1b[A'))]).toEqual([
    { character: 'a' },
    { character: '门' },
    { key: 'previous' },
  ])
})
