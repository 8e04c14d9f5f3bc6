import { expect, test } from 'vitest'
import { TelnetCodec } from './telnet-codec.ts'

const IAC = 255
const [DONT, DO, WONT, WILL, SB, SE] = [254, 253, 252, 251, 250, 240] as const

function codecOf({ terminalType = 'xterm-256color', cols = 80 } = {}) {
  const answers: number[][] = []
  const codec = new TelnetCodec({
    terminalType,
    size: { cols, rows: 24 },
    send: (bytes) => void answers.push([...bytes]),
  })
  return { codec, answers, receive: (...bytes: number[]) => [...codec.receive(Buffer.from(bytes))] }
}

test('the options of either side are agreed to once; everything else is declined', () => {
  const { receive, answers } = codecOf()
  receive(IAC, WILL, 1, IAC, WILL, 3, IAC, WILL, 38, IAC, DO, 24, IAC, DO, 39)
  expect(answers).toEqual([
    [IAC, DO, 1],
    [IAC, DO, 3],
    [IAC, DONT, 38],
    [IAC, WILL, 24],
    [IAC, WONT, 39],
  ])
  receive(IAC, WILL, 1, IAC, DO, 24, IAC, DONT, 39, IAC, WONT, 38)
  expect(answers).toHaveLength(5)
  receive(IAC, WONT, 1, IAC, WONT, 1)
  expect(answers.slice(5)).toEqual([[IAC, DONT, 1]])
})

test('the window is sent when the machine asks, and at every change; 255 is doubled', () => {
  const { receive, codec, answers } = codecOf({ cols: 255 })
  codec.resize({ cols: 300, rows: 40 })
  expect(answers).toEqual([])
  receive(IAC, DO, 31)
  codec.resize({ cols: 255, rows: 65535 })
  expect(answers).toEqual([
    [IAC, WILL, 31],
    [IAC, SB, 31, 1, 44, 0, 40, IAC, SE],
    [IAC, SB, 31, 0, IAC, IAC, IAC, IAC, IAC, IAC, IAC, SE],
  ])
})

test.each([
  ['xterm-256color', 'xterm-256color'],
  ['evil\xff\xf0', 'xterm'],
])('the terminal’s name %j is told as %s, and only when it was agreed', (terminalType, reply) => {
  const { receive, answers } = codecOf({ terminalType })
  receive(IAC, SB, 24, 1, IAC, SE)
  expect(answers).toEqual([])
  receive(IAC, DO, 24, IAC, SB, 24, 1, IAC, SE)
  expect(answers[1]).toEqual([IAC, SB, 24, 0, ...Buffer.from(reply), IAC, SE])
})

test('bytes come out as they were sent, wherever the stream is cut', () => {
  const stream = [
    65,
    IAC,
    IAC,
    13,
    0,
    66,
    13,
    10,
    IAC,
    WILL,
    3,
    67,
    IAC,
    SB,
    24,
    1,
    IAC,
    IAC,
    9,
    IAC,
    SE,
    13,
    13,
    0,
    IAC,
    241,
    68,
  ]
  const wanted = [65, 255, 13, 66, 13, 10, 67, 13, 13, 68]
  for (let cut = 0; cut <= stream.length; cut++) {
    const { codec, receive } = codecOf()
    codec.setRaw(true)
    expect([...receive(...stream.slice(0, cut)), ...receive(...stream.slice(cut))]).toEqual(wanted)
  }
})

test('an interrupt whose urgent byte does not arrive costs no text, and shows none', () => {
  const { receive, answers } = codecOf()
  expect(receive(IAC, 27, 91, 72)).toEqual([27, 91, 72])
  expect([...receive(65, IAC), ...receive(IAC, 13, 0, 66)]).toEqual([65, 13, 66])
  expect([...receive(IAC), ...receive(IAC, 242, 67)]).toEqual([67])
  expect([...receive(IAC), ...receive(IAC, WILL, 1, 68)]).toEqual([68])
  expect(answers).toEqual([[IAC, DO, 1]])
})

test('a data mark whose IAC does not arrive is none of the text, as often as keys may have brought one', () => {
  const { codec, receive } = codecOf()
  expect(receive(242, 94)).toEqual([242, 94])
  codec.encode(Buffer.from('ls\x03'))
  codec.interrupt()
  expect([...receive(65, 242), ...receive(242, 94, 67), ...receive(242)]).toEqual([65, 242, 94, 67])
  expect(receive(242, 94)).toEqual([242, 94])
  codec.encode(Buffer.from('\x03'))
  codec.setRaw(true)
  expect(receive(242)).toEqual([242])
})

test('keys that brought no mark cost no text, however many there were, nor do those whose mark came whole', () => {
  const { codec, receive } = codecOf()
  codec.encode(Buffer.alloc(100, 3))
  for (let n = 0; n < 10; n++) receive(242)
  expect(receive(242, 94)).toEqual([242, 94])
  codec.encode(Buffer.from('\x03\x03'))
  expect(receive(IAC, 242, 94)).toEqual([94])
  expect(receive(242, 94)).toEqual([94])
  expect(receive(242, 94)).toEqual([242, 94])
})

test('input is escaped: 255 doubled, a return followed by a zero, but not where both ends have agreed on binary', () => {
  const { codec, receive } = codecOf()
  expect([...codec.encode(Buffer.from([65, IAC, 13, 10]))]).toEqual([65, IAC, IAC, 13, 0, 10])
  receive(IAC, DO, 0)
  expect([...codec.encode(Buffer.from([65, IAC, 13, 10]))]).toEqual([65, IAC, IAC, 13, 10])
  receive(IAC, WILL, 0)
  expect(receive(13, 0)).toEqual([13, 0])
})

test('a subnegotiation without an end costs no memory, and the stream goes on behind it', () => {
  const { codec, receive } = codecOf()
  receive(IAC, SB, 24)
  for (let n = 0; n < 100; n++) expect(codec.receive(Buffer.alloc(64 * 1024, 7)).length).toBe(0)
  expect(receive(IAC, SE, 65)).toEqual([65])
})
