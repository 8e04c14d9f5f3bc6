import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { collectedCommands } from '../../../session/command-log-fixture.ts'
import { CommandParser } from './command-parser.ts'

/**
 * Bytes of both directions, `i` typed and `o` shown: bash, dash, zsh, fish and Python on a real
 * terminal, mysql and psql as they write.
 */
const STREAMS = new Map(
  readFileSync(new URL('recorded-streams.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; events: ['i' | 'o', string][] })
    .map(({ name, events }) => [name, events]),
)

type Command = ReturnType<typeof collectedCommands>['over'][number]
type Event = readonly [direction: 'i' | 'o', text: string]

/** `pause` is the time that passes between all that is typed, in milliseconds. */
function parse(events: readonly Event[], columns = 80, pause = 0): Command[] {
  const { begin, over: commands } = collectedCommands()
  let now = 0
  const parser = new CommandParser({ cols: columns, rows: 24 }, begin, () => now)
  for (const [direction, text] of events) {
    now += direction === 'i' ? pause : 0
    direction === 'i' ? parser.input(text) : parser.output(text)
  }
  parser.end()
  return commands
}

const stream = (name: string) => STREAMS.get(name) ?? []
const inputs = (commands: Command[]) => commands.map(({ input }) => input)

test.each<[name: string, columns: number, expected: string[]]>([
  [
    'bash',
    80,
    [
      'echo one',
      'ls beta', // completed with Tab
      'echo two; ruse', // edited in the middle
      'ls beta', // recalled from the history
      'echo one', // found with Ctrl-R
      'cat alpha-one', // completed behind a list of choices
      'cd /tmp',
      'whoami', // pwd, wiped out with Ctrl-U before
      'for i in 1 2',
      'do echo $i',
      'done',
      'echo pasted', // two lines pasted at once
      'echo second',
      'true', // behind a line given up with Ctrl-C
      'clear',
      'echo after clear',
      'exit',
    ],
  ],
  [
    'bash-wrap',
    40,
    [
      'echo 中文字符很长很长很长很长很长很长很长很长 end',
      'echo aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee',
      'echo 中文字符很长很长很长很长很长很长很长很长 end',
      'echo XX中文字符很长很长很长很长很长很长很长很长 endYY', // edited at both ends of a line that wraps
    ],
  ],
  ['bash-fullscreen', 80, ['vim -u NONE -N note', 'less long', 'cat note']],
  ['bash-password', 80, ['read -s -p "Password: " x', 'echo visible', 'su nobody -s /bin/sh -c id', 'id']],
  ['dash', 80, ['echo one', 'echo two', 'sleep 0.4', 'echo ahead', 'exit']],
  ['python', 80, ['1 + 1', 'for x in "ab":', 'print(x)', 'exit()']],
  ['zsh', 80, ['echo a', 'echo ab', 'echo ab']],
  ['mysql', 80, ['select 1;', 'select *', 'from t;', 'select * from t;']],
  ['psql', 80, ['select now()', ';', '\\d']],
  // A time and a branch are at the right end of the line.
  ['zsh-right', 80, ['echo one', 'echo Xtwo', `echo ${'x'.repeat(70)} end`, 'echo Xtwo', 'true', 'echo 你好']],
  ['bash-right', 80, ['echo one', 'echo two', 'echo two', `echo ${'y'.repeat(80)}`, 'echo two', 'true']],
  ['fish', 80, ['echo one', 'echo two', 'echo two', 'true']], // the third as suggested
  // Several lines pasted into a line editor, run with Return; two more given up with Ctrl-C; a
  // loop; one line.
  ['bash-paste', 80, ['echo p1', 'echo p2', 'echo alone', 'for i in 1 2', 'do echo $i', 'done', 'echo single', 'true']],
  ['zsh-paste', 80, ['echo p1', 'echo p2', 'echo alone', 'for i in 1 2', 'do echo $i', 'done', 'echo single', 'true']],
  ['fish-paste', 80, ['echo p1', 'echo p2', 'echo alone']],
])('%s: the commands are those that were run', (name, columns, expected) => {
  expect(inputs(parse(stream(name), columns))).toEqual(expected)
  // The same however the network cuts the output, but never within what was typed.
  const letterByLetter = stream(name).flatMap(([direction, text]): Event[] =>
    direction === 'i' ? [[direction, text]] : [...text].map((character) => ['o', character]),
  )
  expect(inputs(parse(letterByLetter, columns))).toEqual(expected)
})

test('a hidden answer is nowhere in what is stored, and what a full-screen program draws is no output', () => {
  expect(JSON.stringify(parse(stream('bash-password')))).not.toContain('hunter2')
  const [vim, less, cat] = parse(stream('bash-fullscreen'))
  expect([vim?.output, less?.output, cat?.output.trim()]).toEqual(['', '', 'echo not a command'])
})

test('output belongs to its command, without the next prompt, cut at a line’s end', () => {
  const commands = parse(stream('bash'))
  expect(commands.find(({ input }) => input === 'done')?.output).toBe('1\n2')
  const lines = Array.from({ length: 500 }, (_, n) => `line ${n}`)
  const [command] = parse([
    ['o', '$ '],
    ['i', 'seq\r'],
    ['o', `seq\r\n${lines.join('\r\n')}\r\n$ `],
  ])
  expect(command?.output.length).toBeLessThanOrEqual(1024)
  expect(lines.join('\n').startsWith(command?.output ?? '-')).toBe(true)
  expect(lines).toContain(command?.output.split('\n').at(-1))
})

test('rows that were pasted and run together have their output behind the last', () => {
  for (const name of ['bash-paste', 'zsh-paste', 'fish-paste']) {
    const [first, second] = parse(stream(name))
    expect([name, first?.output, second?.output]).toEqual([name, '', 'p1\np2'])
  }
})

test('a program that only claims to take pastes does not hide what it runs', () => {
  const commands = parse(
    [
      ['o', '\x1b[?2004h$ '],
      ['i', '\x1b[200~id\nwho\x1b[201~\r'],
      ['o', 'id\r\nwho\r\n'],
      ['o', '$ '],
      ['i', 'x'],
      ['o', 'x'],
    ],
    80,
    1000,
  )
  expect(inputs(commands)).toEqual(['id', 'who'])
})

test('the output of a line that was overwritten is its last state', () => {
  const [command] = parse([
    ['o', '$ '],
    ['i', 'get\r'],
    ['o', 'get\r\n 10%\r 50%\r100% done\r\nbye\r\n$ '],
  ])
  expect(command?.output).toBe('100% done\nbye')
})

test('lines of output between are no commands, however many returns were typed ahead', () => {
  const commands = parse([
    ['o', '$ '],
    ['i', 'slow\rnext\r'],
    ['o', 'slow\r\n'],
    ['o', 'next\r\nfirst output\r\nsecond output\r\n$ '],
  ])
  expect(inputs(commands)).toEqual(['slow', 'next'])
})

const run = (text: string): Event[] => [
  ['i', `${text}\r`],
  ['o', `${text}\r\n`],
  ['o', '$ '],
]

test.each([
  ['that was seen before', run('echo one').slice(0, 2)],
  ['that is the first one', []],
])('a line typed in the moment before its prompt, %s, is stored without it', (_, before) => {
  const commands = parse([
    ['o', before.length ? 'web-1# ' : ''],
    ...before,
    ['o', 'one\r\n'],
    ['i', 'echo two\r'],
    ['o', 'web-1# echo two\r\n'],
    ['o', 'two\r\nweb-1# '],
  ])
  expect(inputs(commands).at(-1)).toBe('echo two')
})

test('a burst that is not looked at in full does not hide a change of the screen', () => {
  const burst = Array.from({ length: 20 }, () => ['o', 'x'.repeat(16_000)] as const)
  const into = parse([
    ['o', '$ '],
    ...run('editor').slice(0, 2),
    ['o', '\x1b[?1049h'],
    ...burst,
    ['i', 'typed inside\r'],
    ['o', 'typed inside\r\n'],
  ])
  expect(inputs(into)).toEqual(['editor'])
  const outOf = parse([['o', '\x1b[?1049h'], ['o', 'drawn\x1b[?1049l'], ...burst, ['o', '\r\n$ '], ...run('id')])
  expect(inputs(outOf)).toEqual(['id'])
})

test('a title that is long or never ends does not hide a command', () => {
  const title = `\x1b]0;${'t'.repeat(5000)}\x07`
  expect(inputs(parse([['o', `${title}$ `], ...run('id')]))).toEqual(['id'])
  expect(inputs(parse([['o', '\x1b]0;without end\r\n$ '], ...run('id')]))).toEqual(['id'])
})

test('hostile output of any kind is survived, and the next command is still seen', () => {
  const letters = [
    '\x1b',
    '[',
    '?',
    '1049h',
    '1049l',
    '9999999999',
    ';',
    'A',
    'B',
    'H',
    'J',
    'K',
    'P',
    '@',
    'X',
    '\r',
    '\n',
    '\b',
    '\t',
    '好',
    ']',
    'x',
  ]
  let state = 42
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32
  for (let round = 0; round < 200; round++) {
    const noise = Array.from({ length: 400 }, () => letters[Math.floor(next() * letters.length)]).join('')
    const commands = parse(
      [
        ['o', '$ '],
        ['i', noise],
        ['o', noise],
        ['o', '\x18\x1b[?1049l\x1b[2J\x1b[H'],
        ['i', '\x03'],
        ['o', '^C\r\n$ '],
        ...run('id'),
      ],
      40,
      1000,
    )
    expect(inputs(commands).at(-1)).toBe('id')
  }
})

test('a command is complete when its known prompt is back and nothing comes, without waiting for the next one', () => {
  const { begin, over: commands } = collectedCommands()
  const parser = new CommandParser({ cols: 80, rows: 24 }, begin, () => 0)
  const run = (line: string, answer: string) => {
    parser.input(line)
    parser.output(line)
    parser.input('\r')
    parser.output(`\r\n${answer}`)
    parser.settle()
  }
  parser.output('web-1$ ')
  run('sleep 5', '')
  expect(commands).toEqual([])
  parser.output('web-1$ ')
  parser.settle()
  expect(inputs(commands)).toEqual(['sleep 5'])
  run('echo one', 'one\r\nweb-1$ ')
  run('cat', 'half an answer')
  expect(commands.map(({ input, output }) => [input, output.trim()])).toEqual([
    ['sleep 5', expect.any(String)],
    ['echo one', expect.stringMatching(/^one/)],
  ])
  // A person who begins to type at the prompt finishes it as before, once.
  parser.output('\r\nweb-1$ ')
  parser.input('l')
  parser.settle()
  parser.end()
  expect(inputs(commands)).toEqual(['sleep 5', 'echo one', 'cat'])
})
