import { duplexPair } from 'node:stream'
import { expect, test } from 'vitest'
import { FileStart } from '../file-start.ts'
import { OpenFile } from '../open-file.ts'
import { attributeField, PacketCutter, PacketSender } from './packets.ts'
import { SftpClient } from './sftp-client.ts'
import { Fields, OPEN, PACKET, SAFE_CHUNK, STATUS, VERSION } from './sftp-wire.ts'

interface MachineOptions {
  /** Size of the file by the machine. */
  size?: number
  /** It answers a read with no more. */
  atMost?: number
}

/** A machine with one file of these bytes; `seen` has the types of the requests as they came, those of one packet together; `ended` has how downloads did. */
async function machineWith(content: Buffer, { size = content.length, atMost = SAFE_CHUNK }: MachineOptions = {}) {
  const [ours, theirs] = duplexPair()
  const sender = new PacketSender(theirs)
  const cutter = new PacketCutter()
  const seen: number[][] = []
  const ended: boolean[] = []
  const answer = (packet: Buffer) => {
    const type = packet[0] ?? 0
    seen.at(-1)?.push(type)
    if (type === PACKET.INIT) return sender.send(PACKET.VERSION, [VERSION])
    const fields = new Fields(packet, 1)
    const id = fields.uint32()
    if (type === PACKET.OPEN) return sender.send(PACKET.HANDLE, [id, Buffer.from('h')])
    if (type === PACKET.FSTAT) return sender.send(PACKET.ATTRS, [id, attributeField({ size })])
    if (type === PACKET.CLOSE) return sender.send(PACKET.STATUS, [id, STATUS.OK, '', ''])
    fields.bytes()
    const offset = fields.uint64()
    const bytes = content.subarray(offset, offset + Math.min(fields.uint32(), atMost))
    return bytes.length ? sender.send(PACKET.DATA, [id, bytes]) : sender.send(PACKET.STATUS, [id, STATUS.EOF, '', ''])
  }
  theirs.on('data', (bytes: Buffer) => {
    seen.push([])
    cutter.push(bytes, answer)
  })
  const client = await SftpClient.start(ours, { close: () => {} })
  const open = async () => {
    const handle = await client.open('/file', OPEN.READ)
    const start = new FileStart(client, handle)
    return new OpenFile({
      client,
      handle,
      flags: OPEN.READ,
      keepsAttributes: true,
      entries: { download: { end: async (isSuccess) => void ended.push(isSuccess), drop: () => {} } },
      start,
      onOver: () => {},
    })
  }
  seen.length = 0
  return { client, open, seen, ended }
}

test('the machine is asked twice about a small file, however a client finds its end, and its close leaves with the next open', async () => {
  const content = Buffer.from('one and all')
  const { client, open, seen } = await machineWith(content)
  for (let n = 0; n < 2; n++) {
    const file = await open()
    await file.stat()
    // As lftp does: what it reads, what may lie behind, and whether anything does.
    expect(await file.read(0, SAFE_CHUNK)).toEqual(content)
    expect(await file.read(SAFE_CHUNK, SAFE_CHUNK)).toBeUndefined()
    expect(await file.read(content.length, SAFE_CHUNK)).toBeUndefined()
    await file.close()
  }
  await client.fstat(Buffer.from('h'))
  const opened = [PACKET.FSTAT, PACKET.READ]
  expect(seen).toEqual([[PACKET.OPEN], opened, [PACKET.CLOSE, PACKET.OPEN], opened, [PACKET.CLOSE, PACKET.FSTAT]])
  client.close()
})

test('the close of the last file that was read reaches the machine though nothing follows', async () => {
  const { client, open, seen } = await machineWith(Buffer.from('last'))
  const file = await open()
  await file.close()
  await expect.poll(() => seen.flat().at(-1)).toBe(PACKET.CLOSE)
  client.close()
})

test('the rest of a large file behind its beginning is read from the machine', async () => {
  const content = Buffer.alloc(3 * SAFE_CHUNK, 'x')
  const { client, open } = await machineWith(content)
  const file = await open()
  expect(await file.read(0, SAFE_CHUNK)).toHaveLength(SAFE_CHUNK)
  expect(await file.read(2 * SAFE_CHUNK, SAFE_CHUNK)).toHaveLength(SAFE_CHUNK)
  expect(await file.read(3 * SAFE_CHUNK, SAFE_CHUNK)).toBeUndefined()
  await file.close()
  client.close()
})

test('a file whose machine gives no size, and answers less than is asked for, is read whole, and its end is where nothing comes', async () => {
  const content = Buffer.from('line 1\nline 2\nline 3\n')
  const { client, open, ended } = await machineWith(content, { size: 0, atMost: 7 })
  const file = await open()
  const pieces: Buffer[] = []
  for (let have = 0; have < 100; ) {
    const bytes = await file.read(have, SAFE_CHUNK)
    if (!bytes) break
    pieces.push(bytes)
    have += bytes.length
  }
  expect(Buffer.concat(pieces).toString()).toBe(content.toString())
  await file.close()
  const left = await open()
  await left.read(0, SAFE_CHUNK)
  await left.close()
  expect(ended).toEqual([true, false])
  client.close()
})
