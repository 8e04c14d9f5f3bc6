import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { kept } from '../../kinds/desktop/kept-memory-fixture.ts'
import { Picture } from '../../kinds/desktop/picture/picture.ts'
import { u16, u32 } from '../../protocols/rdp/cursor.ts'
import { CORE, PACKET, WANTS } from '../../protocols/rdp/drive/messages.ts'
import { framedData } from '../../protocols/rdp/framing.ts'
import { rdpTarget } from './rdp-target.ts'

/** How a session ends whose machine breaks the protocol. */
const BREACH = { message: 'The machine does not keep to its protocol: the session was closed' }

const [USER, SCREEN, CLIPBOARD, DRIVE] = [1007, 1003, 1004, 1005]

/** A desktop whose server says what a test wants it to; where that is given, as often as it is read. */
function desktop(says?: () => Buffer | undefined) {
  const written: Buffer[] = []
  const stream = new Duplex({
    read() {
      if (!says) return
      setImmediate(() => {
        const bytes = says()
        if (bytes) this.push(bytes)
      })
    },
    // Nothing is ever taken.
    write: (bytes) => void written.push(bytes),
  })
  const picture = new Picture(640, 480)
  const demand = { shareId: 1, width: 640, height: 480, bitsPerPixel: 16, takesUnicode: true }
  const entered = {
    user: USER,
    screenChannel: SCREEN,
    clipboardChannel: CLIPBOARD,
    dynamicChannel: undefined,
    driveChannel: DRIVE,
    demand,
  }
  const server = { stream, isEncrypted: true, close: () => stream.destroy() }
  const target = rdpTarget({ server, entered, picture, name: 'x', log: { info() {} } })
  const ended = new Promise((end) => target.start({ changed() {}, copied() {}, bell() {}, end }))
  return { target, stream, picture, ended }
}

/** A message on a channel. */
const channelData = (channel: number, data: Buffer) =>
  framedData(
    Buffer.of(0x68, 0, 6, channel >> 8, channel & 0xff, 0x70, 0x80 | (data.length >> 8), data.length & 0xff),
    data,
  )

/** A message of the fast path. */
function fast(...updates: Buffer[]): Buffer {
  const body = Buffer.concat(updates)
  const head = Buffer.alloc(3)
  head.writeUInt16BE(0x8000 | (body.length + 3), 1)
  return Buffer.concat([head, body])
}
const update = (code: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(code), u16(body.length), body])
}
/** Paints the whole screen black, in next to no bytes. */
const black = update(1, u16(1, 1, 0, 0, 639, 479, 640, 480, 16, 0x0401, 0))

test('the area that one message paints is bounded, in however many updates, and so are pointers', async () => {
  const two = desktop()
  two.picture.pixels.fill(1)
  two.stream.push(fast(black, black))
  await expect.poll(() => two.picture.pixels.at(-1)).toBe(0)
  expect(two.stream.destroyed).toBe(false)
  two.target.close()

  const updates = [black, update(10, u16(0))]
  for (const [n, one] of updates.entries()) {
    const { stream, ended } = desktop()
    stream.push(fast(...Array<Buffer>(1000).fill(one)))
    expect([n, await ended]).toEqual([n, BREACH])
  }
})

test('a malformed message of a drive takes the drive away, and what is behind it is read', async () => {
  const { target, stream, picture } = desktop()
  picture.pixels.fill(1)
  stream.push(Buffer.concat([channelData(DRIVE, u32(0x7fff_ffff, 1)), fast(black)]))
  await expect.poll(() => picture.pixels.at(-1)).toBe(0)
  expect(stream.destroyed).toBe(false)
  target.close()
})

test('a message that offers screens over and over ends the session', async () => {
  const { stream, ended } = desktop()
  const sets = u16(2, 16, 16, 1, 1, 1, 640, 480)
  const body = Buffer.concat([u32(1), u16(0, sets.length + 4, 1, 0), sets])
  const offer = Buffer.concat([u16(body.length + 6, 0x11, USER), body])
  const offers = (times: number) => channelData(SCREEN, Buffer.concat(Array<Buffer>(times).fill(offer)))
  const before = stream.writableLength
  stream.push(offers(4))
  await expect.poll(() => stream.writableLength).toBeGreaterThan(before)
  expect(stream.destroyed).toBe(false)
  stream.push(offers(5))
  expect(await ended).toEqual(BREACH)
})

test('[A2.64] a long text goes to the machine’s clipboard as a whole or not at all', async () => {
  const { target, stream } = desktop()
  const clipboardMessage = (type: number, body: Buffer = Buffer.alloc(0)) => {
    const message = Buffer.concat([u32(body.length + 8, 3), u16(type, 0), u32(body.length), body])
    stream.push(channelData(CLIPBOARD, message))
  }
  target.paste('x'.repeat(1_000_000))
  clipboardMessage(1)
  clipboardMessage(4, u32(13))
  // The text takes two bytes a character.
  await expect.poll(() => stream.writableLength).toBeGreaterThan(2_000_000)
  const before = stream.writableLength
  target.paste('y')
  expect(stream.writableLength).toBe(before)
  target.close()
})

test('a session keeps some megabytes of a server that sends without end, and of one that takes little', async () => {
  const MB = 1024 * 1024
  const LENGTH = 12_000
  /** One message of that many bytes on a channel after the other, in pieces. */
  const messages = (channel: number, head: Buffer, bytes: number) => {
    const piece = (flags: number, data: Buffer) => channelData(channel, Buffer.concat([u32(bytes, flags), data]))
    const [first, next] = [piece(1, head), piece(0, Buffer.alloc(LENGTH))]
    const rest = bytes - head.length
    const last = piece(2, Buffer.alloc(rest % LENGTH))
    return Buffer.concat([first, ...Array<Buffer>(Math.floor(rest / LENGTH)).fill(next), last])
  }
  const write = Buffer.concat([u16(CORE, PACKET.request), u32(1, 1, 1, WANTS.write, 0, 2 * MB, 0, 0), Buffer.alloc(20)])
  const copied = Buffer.concat([u16(5, 1), u32(2 * MB - 8)])
  const flows = {
    'texts that nobody asked for': messages(CLIPBOARD, copied, 2 * MB),
    'writes to a drive whose right is not known yet': messages(DRIVE, write, 2 * MB + write.length),
    'questions of a server that takes no answer': messages(DRIVE, u16(CORE, PACKET.serverCapabilities), 4),
    'an update that never ends': fast(update(0x21, Buffer.alloc(LENGTH))),
  }
  // Answers to more of those than fit into what may be unsent, which is a megabyte.
  const mostOf = (name: string) => (name.startsWith('questions') ? 2 : 40) * MB
  for (const [name, message] of Object.entries(flows)) {
    const most = mostOf(name)
    let sent = 0
    const { target, stream } = desktop(() => {
      if (sent > most) return undefined
      sent += message.length
      return Buffer.from(message)
    })
    target.serveFiles?.({ folder: {}, mayPut: () => new Promise(() => {}) } as never)
    const held = await kept(async () => {
      // All of that is read; or some, and no more.
      const waits = name.startsWith('writes')
      await expect.poll(() => sent > most || (waits && sent > 4 * MB && stream.isPaused())).toBe(true)
      return target
    })
    expect([name, held < 30, stream.writableLength < 2 * MB]).toEqual([name, true, true])
    target.close()
  }
})
