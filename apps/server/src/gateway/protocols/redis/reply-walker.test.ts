import { expect, test } from 'vitest'
import { type Reply, ReplyWalker } from './reply-walker.ts'

function read(text: string, pieceBytes: number): { replies: Reply[]; passed: string } {
  const replies: Reply[] = []
  const walker = new ReplyWalker({ instead: () => undefined, reply: (reply) => void replies.push(reply) })
  const bytes = Buffer.from(text)
  const passed: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes)
    passed.push(Buffer.from(walker.read(bytes.subarray(at, at + pieceBytes))))
  expect(walker.isBetweenReplies).toBe(true)
  return { replies, passed: Buffer.concat(passed).toString() }
}

const textOf = (length: number) => `$${length}\r\n${'x'.repeat(length)}\r\n`

test('long arrays of texts, and replies between these, are read alike however they come in pieces', () => {
  const texts = Array.from({ length: 300 }, (_, n) => textOf(n % 23 === 0 ? 0 : (n * 7) % 120)).join('')
  const mixed = `${textOf(3)}:12\r\n$-1\r\n*3\r\n${textOf(5)}${textOf(0)}${textOf(7)}+OK\r\n${textOf(11)}`
  const all = `*300\r\n${texts}*6\r\n${mixed}+OK\r\n*2\r\n$5\r\n$9\r\n\n\r\n${textOf(200)}:7\r\n`
  for (const pieceBytes of [1, 2, 3, 7, 64, 1000, all.length]) {
    const { replies, passed } = read(all, pieceBytes)
    expect(passed).toBe(all)
    expect(replies.map(({ type, count }) => [type, count])).toEqual([
      ['array', 300],
      ['array', 6],
      ['OK', undefined],
      ['array', 2],
      ['integer', undefined],
    ])
  }
})

test('a length that no server writes ends the connection within a long array, too', () => {
  for (const length of ['05', '+5', '99999999999', ''])
    expect(() => read(`*3\r\n${textOf(1)}$${length}\r\nabcde\r\n${textOf(1)}`, 1000)).toThrow('impossible length')
})
