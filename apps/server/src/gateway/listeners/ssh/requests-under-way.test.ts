import { expect, test } from 'vitest'
import { packet } from '../../files/sftp/packets.ts'
import { PACKET } from '../../files/sftp/sftp-wire.ts'
import { RequestsUnderWay } from './requests-under-way.ts'

/** As it is taken from the wire: without its length. */
const request = (type: number, content = Buffer.from('file')) => Buffer.concat(packet(type, [1, content])).subarray(4)
const read = (length: number) =>
  Buffer.concat(packet(PACKET.READ, [1, Buffer.from('handle'), 0, 0, length])).subarray(4)

test('requests about open files run side by side; one about a path waits for all of them', () => {
  const underWay = new RequestsUnderWay()
  const answered = [PACKET.WRITE, PACKET.FSETSTAT, PACKET.CLOSE, PACKET.STAT].map((type) => {
    expect(underWay.mayBegin(request(type)), String(type)).toBe(true)
    return underWay.begin(request(type))
  })
  for (const type of [PACKET.OPEN, PACKET.OPENDIR, PACKET.READDIR, PACKET.REMOVE, PACKET.RENAME, PACKET.EXTENDED])
    expect(underWay.mayBegin(request(type)), String(type)).toBe(false)
  for (const isAnswered of answered) isAnswered()
  expect(underWay.count).toBe(0)
  const isOpen = underWay.begin(request(PACKET.OPEN))
  expect(underWay.mayBegin(request(PACKET.WRITE))).toBe(false)
  isOpen()
  expect(underWay.mayBegin(request(PACKET.WRITE))).toBe(true)
})

test('a file is closed once its reads are answered', () => {
  const underWay = new RequestsUnderWay()
  const isRead = underWay.begin(read(10))
  expect(underWay.mayBegin(request(PACKET.CLOSE))).toBe(false)
  expect(underWay.mayBegin(request(PACKET.WRITE))).toBe(true)
  isRead()
  underWay.begin(request(PACKET.WRITE))
  expect(underWay.mayBegin(request(PACKET.CLOSE))).toBe(true)
})

test('number and content of what is under way are bounded, however much a read asks for', () => {
  const many = new RequestsUnderWay()
  for (let n = 0; n < 64; n++) many.begin(request(PACKET.STAT))
  expect(many.mayBegin(request(PACKET.STAT))).toBe(false)
  const large = new RequestsUnderWay()
  for (let n = 0; n < 17; n++) {
    expect(large.mayBegin(read(0xffff_ffff))).toBe(true)
    large.begin(read(0xffff_ffff))
  }
  expect(large.mayBegin(read(1))).toBe(false)
})

test('written bytes leave with the answer to the close of the same file, and wait for no other', () => {
  const underWay = new RequestsUnderWay()
  const [write, times, read] = [PACKET.WRITE, PACKET.FSETSTAT, PACKET.READ].map((type) => request(type))
  const waits = () => [write, times, read].map((packet) => underWay.mayWait(packet as Buffer))
  const isOtherClosed = underWay.begin(request(PACKET.CLOSE, Buffer.from('more')))
  expect(waits()).toEqual([false, false, false])
  const isClosed = underWay.begin(request(PACKET.CLOSE))
  isOtherClosed()
  expect(waits()).toEqual([true, true, false])
  isClosed()
  expect(waits()).toEqual([false, false, false])
})
