import { deflateSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import { View } from '../../kinds/desktop/picture/view.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { StepReader } from '../steps.ts'
import { ExtendedClipboard } from './extended-clipboard.ts'
import { clipboard, painted } from './fake-server-fixture.ts'
import { FROM_CLIENT, MAX_CUT_BYTES, setDesktopSize, sizeUpdate, updateHead } from './messages.ts'
import { readServer } from './read-server.ts'
import { Viewer } from './viewer.ts'
import { drawn, seen, viewerStart } from './viewer-fixture.ts'

const SILENT = {
  updated() {},
  resized() {},
  resizable() {},
  copied() {},
  copiedTooMuch() {},
  clipboard() {},
  bell() {},
}

/** Reads that in pieces of so many bytes; answers what a viewer sees of it. */
function read(picture: Picture, bytes: Buffer, pieces = bytes.length) {
  const view = new View(picture)
  picture.attach(view)
  const reader = new StepReader(readServer(picture, SILENT))
  for (let at = 0; at < bytes.length; at += pieces) {
    reader.add(bytes.subarray(at, at + pieces))
    reader.read()
  }
  const updates: Buffer[] = []
  const size = view.takeSize()
  if (size) updates.push(sizeUpdate(size, false))
  for (let taken = view.take(); taken; taken = view.take()) updates.push(updateHead(taken.count), taken.bytes)
  return drawn(1, 1, Buffer.concat(updates))
}

/** An update of one rectangle. */
function update([x, y, width, height]: [number, number, number, number], encoding: number, ...body: number[]): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt16BE(1, 2)
  for (const [n, value] of [x, y, width, height].entries()) head.writeUInt16BE(value, 4 + n * 2)
  head.writeInt32BE(encoding, 12)
  return Buffer.concat([head, Buffer.from(body)])
}

/** The same numbers at every run. */
function randomly(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test('every encoding that is asked for is drawn, in whatever pieces it comes, and arrives at a viewer as it was', () => {
  const noise = randomly(7)
  const photo = Buffer.alloc(90 * 70 * 4)
  for (let at = 0; at < photo.length; at++) photo[at] = at % 4 === 3 ? 9 : Math.floor(noise() * 256)
  const bytes = Buffer.concat([
    update([30, 20, 90, 70], 0),
    photo,
    painted(0, 0, 20, 20, 'ff8000'),
    // Two tiles: one with a background and two parts, one whose colors go on.
    update([0, 100, 32, 16], 5, 2 | 4 | 8, 1, 2, 3, 0, 4, 5, 6, 0, 2, 0x00, 0x11, 0x55, 0x00, 8, 1, 0xff, 0x00),
    // The first square once more, elsewhere, over itself.
    update([5, 5, 20, 20], 1, 0, 0, 0, 0),
    clipboard('beside'),
    Buffer.of(2),
  ])
  for (const pieces of [bytes.length, 1000, 1]) {
    const picture = read(new Picture(150, 130), bytes, pieces)
    expect([picture.width, picture.height]).toEqual([150, 130])
    const there = (x: number, y: number) => photo.readUIntBE(((y - 20) * 90 + x - 30) * 4, 3)
    for (const [x, y] of [
      [30, 20],
      [119, 89],
      [77, 64],
    ] as const)
      expect(picture.at(x, y)).toBe(there(x, y).toString(16).padStart(6, '0'))
    expect([picture.at(0, 0), picture.at(24, 24), picture.at(25, 25)]).toEqual(['ff8000', 'ff8000', '000000'])
    expect([picture.at(0, 100), picture.at(1, 101), picture.at(5, 105), picture.at(7, 107)]).toEqual([
      '040506',
      '040506',
      '040506',
      '010203',
    ])
    expect([picture.at(31, 115), picture.at(16, 101)]).toEqual(['040506', '010203'])
  }
})

test('a screen that changes its size is seen in the new one', () => {
  const picture = read(
    new Picture(40, 30),
    Buffer.concat([painted(0, 0, 40, 30, '111111'), update([0, 0, 80, 20], -223), painted(79, 19, 1, 1, 'abcdef')]),
  )
  expect([picture.width, picture.height, picture.at(79, 19), picture.at(0, 0)]).toEqual([80, 20, 'abcdef', '000000'])
})

test.each([
  ['a rectangle past the screen', update([60, 0, 8, 1], 0)],
  ['a copy from outside', update([0, 0, 8, 8], 1, 0, 60, 0, 0)],
  ['a part of a tile that leaves it', update([0, 0, 8, 8], 5, 4 | 8, 1, 2, 3, 0, 1, 0x00, 0xff)],
  ['a screen of four thousand million pixels', update([0, 0, 65535, 65535], -223)],
  ['a screen of nothing', update([0, 0, 0, 10], -223)],
  ['an encoding that nobody asked for', update([0, 0, 8, 8], 7, 0)],
  ['a message that there is not', Buffer.of(77)],
  ['a clipboard of gigabytes', Buffer.from([3, 0, 0, 0, 127, 255, 255, 255])],
  ['too many screens', update([0, 0, 64, 64], -308, 255, 0, 0, 0)],
  [
    'a copy over and over',
    Buffer.concat([
      updateHead(60_000),
      ...Array.from({ length: 60_000 }, () => update([0, 0, 64, 64], 1, 0, 0, 0, 0).subarray(4)),
    ]),
  ],
  [
    'a size over and over',
    Buffer.concat([
      updateHead(100),
      ...Array.from({ length: 100 }, (_, n) => update([0, 0, 2000 + n, 2000], -223).subarray(4)),
    ]),
  ],
])('%s ends the session, and nothing else', (_what, bytes) => {
  expect(() => read(new Picture(64, 64), bytes)).toThrow(ProtocolViolation)
})

test('reading any bytes of a server ends, in a fault of that server or without one, and keeps little', () => {
  const random = randomly(42)
  const valid = Buffer.concat([
    painted(0, 0, 20, 20, 'ff8000'),
    update([0, 0, 32, 16], 5, 2 | 4 | 8, 1, 2, 3, 0, 4, 5, 6, 0, 2, 0x00, 0x11, 0x55, 0x00, 8, 1, 0xff, 0x00),
    update([5, 5, 20, 20], 1, 0, 0, 0, 0),
    update([0, 0, 70, 70], -223),
    clipboard('text'),
  ])
  let refused = 0
  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(valid)
    for (let n = 0; n < 1 + random() * 4; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    const reader = new StepReader(readServer(new Picture(64, 64), SILENT))
    try {
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + Math.floor(random() * 400)
        reader.add(bytes.subarray(at, end))
        reader.read()
        at = end
      }
      expect(reader.waiting).toBeLessThan(valid.length)
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation)
      refused++
    }
  }
  expect(refused).toBeGreaterThan(100)
})

test('any bytes of a viewer are a fault of that viewer or nothing', () => {
  const random = randomly(3)
  for (let round = 0; round < 1000; round++) {
    const viewer = new Viewer({
      picture: new Picture(64, 64),
      name: 'x',
      canResize: () => true,
      hasRoom: () => true,
      write() {},
    })
    const bytes = Buffer.concat([
      viewerStart(3),
      Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))),
    ])
    for (let n = 0; n < 3; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    try {
      viewer.receive(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(ProtocolViolation)
    }
  }
})

test('a viewer that takes nothing gets nothing more, and then the picture of that moment', () => {
  vi.useFakeTimers()
  try {
    const picture = new Picture(256, 256)
    const sent: Buffer[] = []
    const viewer = new Viewer({
      ...{ picture, name: 'x', canResize: () => false, hasRoom: () => true },
      write: (bytes) => void sent.push(bytes),
    })
    viewer.receive(viewerStart(1))
    const paint = (color: number) => {
      picture.fill({ x: 0, y: 0, width: 256, height: 256 }, color)
      picture.touch({ x: 0, y: 0, width: 256, height: 256 })
      viewer.changed()
      vi.runAllTimers()
    }
    for (let color = 1; color < 100; color++) paint(color)
    const behind = sent.length
    expect(behind).toBeLessThan(12)
    for (let n = 0; n < 10; n++) viewer.receive(Buffer.from([3, 1, 0, 0, 0, 0, 1, 0, 1, 0]))
    vi.runAllTimers()
    expect(seen(Buffer.concat(sent))?.at(255, 255)).toBe('630000')
  } finally {
    vi.useRealTimers()
  }
})

test('a viewer that asks for a size is notified when it has it, and when it does not get it, so that it asks again', () => {
  vi.useFakeTimers()
  try {
    const picture = new Picture(64, 64)
    const sent: Buffer[] = []
    const asked: number[][] = []
    const input = { key() {}, pointer() {}, resize: (...size: number[]) => void asked.push(size) }
    const parts = {
      picture,
      name: 'x',
      input,
      canResize: () => true,
      hasRoom: () => true,
      write: (bytes: Buffer) => void sent.push(bytes),
    }
    const viewer = new Viewer(parts)
    viewer.receive(viewerStart(20))
    // Asker, outcome and size in an update of one rectangle.
    const last = () => [4, 6, 8, 10].map((at) => sent.at(-1)?.readUInt16BE(at))
    const ask = (width: number) => {
      vi.advanceTimersByTime(50)
      sent.length = 0
      viewer.receive(setDesktopSize(width, 64, { id: 0, flags: 0 }))
    }
    ask(100)
    picture.resize(100, 64)
    viewer.changed()
    expect(sent.slice(0, 1).map((one) => [4, 6, 8, 10].map((at) => one.readUInt16BE(at)))).toEqual([[1, 0, 100, 64]])
    ask(200)
    vi.runAllTimers()
    expect([last(), asked]).toEqual([
      [1, 1, 100, 64],
      [
        [100, 64],
        [200, 64],
      ],
    ])
    ask(300)
    viewer.close()
    vi.runAllTimers()
    expect(sent).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('a copy that goes by no clipboard is reported as something else: no text, or one that is too long', () => {
  const reports: (string | boolean)[] = []
  /** Messages from the other end of a clipboard. */
  const says = (...messages: Buffer[]) => {
    const clipboard = new ExtendedClipboard({
      write() {},
      copied: (text) => void reports.push(text),
      replaced: (isExpected) => void reports.push(isExpected),
      type: FROM_CLIENT.cutText,
    })
    for (const message of messages) clipboard.receive(message)
    clipboard.close()
    return reports.splice(0)
  }
  const notify = (formats: number) => Buffer.of(0x08, 0, 0, formats)
  const provide = (length: number) => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(length + 1)
    const text = deflateSync(Buffer.concat([head, Buffer.alloc(length, 'x'), Buffer.of(0)]))
    return Buffer.concat([Buffer.of(0x10, 0, 0, 1), text])
  }
  expect(says(notify(1), provide(3), notify(0))).toEqual([true, 'xxx', false])
  expect(says(notify(1), provide(MAX_CUT_BYTES + 1))).toEqual([true, false])

  // A message that is too long by itself is not read.
  const head = Buffer.alloc(8)
  head[0] = 3
  head.writeUInt32BE(MAX_CUT_BYTES + 1, 4)
  const listener = { ...SILENT, copiedTooMuch: () => void reports.push('too much') }
  const reader = new StepReader(readServer(new Picture(64, 64), listener))
  reader.add(head)
  reader.read()
  expect(reports).toEqual(['too much'])
})
