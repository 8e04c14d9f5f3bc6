import { expect, test } from 'vitest'
import { ListenerAnswer } from './listener-answer.ts'

const packet = (type: number, { flags = 0, body = '' } = {}) =>
  Buffer.concat([Buffer.of(0, 8 + body.length, 0, 0, type, flags, 0, 0), Buffer.from(body)])
function readPieces(bytes: Buffer): ListenerAnswer {
  const answer = new ListenerAnswer()
  for (const byte of bytes) answer.read(Buffer.of(byte))
  return answer
}

test('a listener that accepts or refuses is left to the driver, also behind a packet that asks again', () => {
  expect(readPieces(packet(2))).toMatchObject({ isSettled: true, isRedirected: false, isTls: false })
  expect(readPieces(packet(4, { body: 'why' }))).toMatchObject({ isSettled: true })
  expect(readPieces(Buffer.concat([packet(11), packet(2)]))).toMatchObject({ isSettled: true })
})

test('one that sends elsewhere, or answers in TLS, is known by that', () => {
  expect(readPieces(Buffer.concat([packet(11), packet(5, { body: 'to' })]))).toMatchObject({ isRedirected: true })
  expect(readPieces(Buffer.of(0x15, 3, 3, 0, 2))).toMatchObject({ isSettled: false, isTls: true })
})

test.each([
  ['something else', Buffer.from('HTTP/1.1 400 Bad Request\r\n')],
  ['TLS that begins anew', packet(11, { flags: 8 })],
  ['a packet of no length', Buffer.alloc(16)],
])('%s is no answer of a listener', (_what, bytes) => {
  expect(() => readPieces(bytes)).toThrow('no answer of a listener')
})
