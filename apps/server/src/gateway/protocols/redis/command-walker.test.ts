import { expect, test } from 'vitest'
import { ProtocolViolation } from '../protocol-violation.ts'
import { CommandWalker, commandBytes } from './command-walker.ts'
import { ReplyWalker } from './reply-walker.ts'

/** Commands in these pieces as texts, then the rest of one that is cut. */
function commandsIn(pieces: readonly Buffer[], maxCommand?: number): { seen: string[]; sent: Buffer } {
  const seen: string[] = []
  const sent: Buffer[] = []
  const walker = new CommandWalker(
    {
      command({ arguments: words, bytes, isCut }) {
        seen.push(words.map(String).join(' ') + (isCut ? '…' : ''))
        sent.push(bytes)
      },
      rest: (bytes) => void sent.push(bytes),
    },
    maxCommand,
  )
  for (const piece of pieces) walker.walk(piece)
  return { seen, sent: Buffer.concat(sent) }
}

const inPieces = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

const COMMANDS = Buffer.concat([
  commandBytes(['SET', 'a key', '\r\n$3\r\n']),
  Buffer.from('PING\r\n\r\nGET "a key"\n'),
  Buffer.from('*0\r\n'),
  commandBytes(['MSET', ...'a1b2c3']),
  commandBytes(['GET', '']),
])

test('commands are found in whatever pieces they come, and go on as they came or, from lines, as arrays', () => {
  const whole = commandsIn([COMMANDS])
  expect(whole.seen).toEqual(['SET a key \r\n$3\r\n', 'PING', 'GET a key', 'MSET a 1 b 2 c 3', 'GET '])
  for (let size = 1; size < COMMANDS.length; size++) expect(commandsIn(inPieces(COMMANDS, size))).toEqual(whole)
})

test('the beginning of a command that is too long is seen, and all of it goes on', () => {
  const long = Buffer.concat([commandBytes(['SET', 'key', 'x'.repeat(500), 'EX', '5']), commandBytes(['PING'])])
  for (const size of [1, 7, 64, long.length]) {
    const { seen, sent } = commandsIn(inPieces(long, size), 100)
    expect([seen.length, seen[0]?.slice(0, 9), seen[1]]).toEqual([2, 'SET key x', 'PING'])
    expect(sent).toEqual(long)
  }
})

test('a long command in small pieces takes time that grows with its length alone', () => {
  const many = commandBytes(['DEL', ...Array.from({ length: 100_000 }, () => 'k')])
  const { seen } = commandsIn(inPieces(many, 100))
  expect(seen[0]?.length).toBe(200_003)
})

/** Numbers that are the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * below)
  }
}

test.each([
  ['a client', '*$0123456789\r\n-"\' GETx', (pieces: Buffer[]) => commandsIn(pieces, 64).seen.length],
  [
    'a server',
    '*$+-:_#,(!=%~>|0123456789\r\n?.xok',
    (pieces: Buffer[]) => {
      let replies = 0
      const walker = new ReplyWalker({ reply: () => void replies++, instead: () => undefined })
      return `${pieces.map((piece) => walker.read(piece)).join('')}${replies}`
    },
  ],
] as const)('whatever %s sends is read or refused, and read the same in pieces', (_who, alphabet, read) => {
  const random = randomNumbers(20_261_123)
  const outcome = (pieces: Buffer[]) => {
    try {
      return read(pieces)
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error
      return 'refused'
    }
  }
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: random(60) }, () => alphabet[random(alphabet.length)]).join('')
    // Headers that are right now and then, so that more is tried; empty lines behind, so that nothing waits for more.
    const head = round % 3 ? `*${random(4)}\r\n$${random(4)}\r\n` : ''
    const bytes = Buffer.from(head + text + '\r\n'.repeat(40))
    expect(outcome(inPieces(bytes, 1 + random(5))), JSON.stringify(String(bytes))).toEqual(outcome([bytes]))
  }
})
