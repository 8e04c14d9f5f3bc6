import {
  ABORT_SEQUENCE,
  binaryHeader,
  FRAME,
  hexHeader,
  SUBPACKET,
  subpacket,
} from '@sallyport/contract/zmodem/wire.ts'
import { expect, test } from 'vitest'
import { FileTransfers } from './file-transfers.ts'

const ENCODING = { crc32: true, escapeAll: false }
const header = Buffer.from(binaryHeader(FRAME.ZDATA, new Uint8Array(4), ENCODING))
const data = Buffer.from(subpacket(Buffer.from('data'), SUBPACKET.GO, ENCODING))
const nothing = () => {}

test.each([
  ['the check of a subpacket', Buffer.concat([header, data]).subarray(0, -3)],
  ['a header', header.subarray(0, -4)],
  ['an escaped byte', Buffer.concat([header, Buffer.from('\x18')])],
])('a machine that leaves in the middle of %s when it is told to: the prompt is shown whole', async (_, cut) => {
  let shown = ''
  const transfers = new FileTransfers(
    { may: async () => true, begin: async () => ({ file: nothing, over: nothing }), refused: nothing },
    {
      terminal: (output) => {
        shown += output.toString('latin1')
      },
      toPerson: nothing,
      aside: nothing,
      toMachine: nothing,
      typed: nothing,
      hold: nothing,
      state: nothing,
      raw: nothing,
      note: nothing,
    },
  )
  transfers.output(Buffer.from(hexHeader(FRAME.ZRQINIT)))
  transfers.output(cut)
  // Until the permission was asked for, all of it waits.
  await new Promise(setImmediate)
  transfers.input(Buffer.from(ABORT_SEQUENCE))
  transfers.output(Buffer.from('ready$ '))
  expect(shown).toContain('ready$ ')
  expect(shown.match(/read/g)).toHaveLength(1)
  transfers.close()
})

test('a transfer that cannot be logged is not begun: the machine is told to stop, and people why', async () => {
  const told: string[] = []
  let toMachine = ''
  const transfers = new FileTransfers(
    { may: async () => true, begin: () => Promise.reject(new Error('no space left on device')), refused: nothing },
    {
      terminal: nothing,
      toPerson: () => told.push('packets'),
      aside: nothing,
      toMachine: (bytes) => {
        toMachine += Buffer.from(bytes).toString('latin1')
      },
      typed: nothing,
      hold: nothing,
      state: nothing,
      raw: nothing,
      note: (text) => told.push(text),
    },
  )
  transfers.output(Buffer.from(hexHeader(FRAME.ZRQINIT)))
  await new Promise(setImmediate)
  expect(toMachine).toContain(Buffer.from(ABORT_SEQUENCE).toString('latin1'))
  expect(told).toEqual(['This cannot be logged at the moment and is therefore not done: tell an administrator'])
  transfers.close()
})
