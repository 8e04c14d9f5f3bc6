import {
  ABORT_SEQUENCE,
  binaryHeader,
  FRAME,
  hexHeader,
  SUBPACKET,
  subpacket,
} from '@sallyport/contract/zmodem/wire.ts'
import { expect, test, vi } from 'vitest'
import { FileTransfers } from './file-transfers.ts'
import type { TransferHost } from './transfer-host.ts'

const ENCODING = { crc32: true, escapeAll: false }
const header = Buffer.from(binaryHeader(FRAME.ZDATA, new Uint8Array(4), ENCODING))
const data = Buffer.from(subpacket(Buffer.from('data'), SUBPACKET.GO, ENCODING))
const nothing = () => {}

const deaf: TransferHost = {
  terminal: nothing,
  toPerson: nothing,
  aside: nothing,
  toMachine: nothing,
  typed: nothing,
  hold: nothing,
  state: nothing,
  raw: nothing,
  note: nothing,
}
const followed = (host: Partial<TransferHost>) =>
  new FileTransfers(
    { may: async () => true, begin: async () => ({ file: nothing, over: nothing }), refused: nothing },
    { ...deaf, ...host },
  )

test.each([
  ['the check of a subpacket', Buffer.concat([header, data]).subarray(0, -3)],
  ['a header', header.subarray(0, -4)],
  ['an escaped byte', Buffer.concat([header, Buffer.from('\x18')])],
])('a machine that leaves in the middle of %s when it is told to: the prompt is shown whole', async (_, cut) => {
  let shown = ''
  const transfers = followed({
    terminal: (output) => {
      shown += output.toString('latin1')
    },
  })
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

test('a transfer that cannot be logged does not begin: the machine is stopped, and people see why', async () => {
  const reports: string[] = []
  let toMachine = ''
  const transfers = new FileTransfers(
    { may: async () => true, begin: () => Promise.reject(new Error('no space left on device')), refused: nothing },
    {
      ...deaf,
      toPerson: () => reports.push('packets'),
      toMachine: (bytes) => {
        toMachine += Buffer.from(bytes).toString('latin1')
      },
      note: (text) => reports.push(text),
    },
  )
  transfers.output(Buffer.from(hexHeader(FRAME.ZRQINIT)))
  await new Promise(setImmediate)
  expect(toMachine).toContain(Buffer.from(ABORT_SEQUENCE).toString('latin1'))
  expect(reports).toEqual(['This cannot be logged at the moment and is therefore not done: tell an administrator'])
  transfers.close()
})

const fin = Buffer.from(hexHeader(FRAME.ZFIN))

test.each([
  [
    'sent',
    (transfers: FileTransfers) => {
      transfers.output(fin)
      transfers.input(fin)
      transfers.output(Buffer.from('OO'))
    },
  ],
  ['given up', (transfers: FileTransfers) => transfers.output(Buffer.from(ABORT_SEQUENCE))],
])(
  'input right after a file was %s waits for the prompt: programs that leave throw away what is in the terminal',
  async (_, leave) => {
    const typed: string[] = []
    const transfers = followed({ typed: (bytes) => typed.push(bytes.toString()) })
    transfers.output(Buffer.from(hexHeader(FRAME.ZRQINIT)))
    await new Promise(setImmediate)
    leave(transfers)
    expect(transfers.input(Buffer.from('ls ')).toString()).toBe('')
    expect(transfers.input(Buffer.from('-l\r')).toString()).toBe('')
    expect(typed).toEqual([])
    transfers.output(Buffer.from('ready$ '))
    expect(typed).toEqual(['ls -l\r'])
    expect(transfers.input(Buffer.from('pwd\r')).toString()).toBe('pwd\r')
    transfers.close()
  },
)

test('a shell that says nothing after a transfer gets what was typed all the same; more than is kept goes at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const typed: string[] = []
    const transfers = followed({ typed: (bytes) => typed.push(bytes.toString()) })
    const over = async () => {
      transfers.output(Buffer.from(hexHeader(FRAME.ZRQINIT)))
      await new Promise(setImmediate)
      transfers.output(Buffer.from(ABORT_SEQUENCE))
    }
    await over()
    transfers.input(Buffer.from('x'))
    vi.advanceTimersByTime(5000)
    expect(typed).toEqual(['x'])
    await over()
    transfers.input(Buffer.from('a'))
    expect(transfers.input(Buffer.alloc(5000, 'b')).toString()).toBe(`a${'b'.repeat(5000)}`)
    transfers.close()
  } finally {
    vi.useRealTimers()
  }
})
