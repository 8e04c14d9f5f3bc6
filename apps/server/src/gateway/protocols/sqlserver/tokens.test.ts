import { expect, test } from 'vitest'
import {
  type Cell,
  COLLATION,
  columns,
  done,
  error,
  nvarchar,
  nvarcharMax,
  row,
  rowWithNulls,
} from '../../connectors/sqlserver/tokens-fixture.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { login } from './login.ts'
import { message, PacketReader } from './packets.ts'
import { encryptionIn, preLogin } from './pre-login.ts'
import { TokenReader } from './tokens.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s+/g, ''), 'hex')

/** Everything reported about these bytes, which come one by one. */
function reported(bytes: Buffer, piece = 1): unknown[] {
  const seen: unknown[] = []
  const reader = new TokenReader({
    columns: (all) => seen.push(all.map(({ name }) => name)),
    row: (values) => seen.push(values.map((value) => value && (value.isCut ? `${value.text.length} cut` : value.text))),
    message: ({ number, level, line, text }) => seen.push({ number, level, line, text }),
    done: ({ rows, isLast }) => seen.push({ rows, isLast }),
    cancelled: () => seen.push('cancelled'),
    changed: (what, value) => seen.push({ what, value: value.toString('hex') }),
    signedIn: (version) => seen.push(version),
  })
  for (let at = 0; at < bytes.length; at += piece) reader.read(bytes.subarray(at, at + piece))
  expect(reader.isWithin).toBe(false)
  return seen
}

test('the examples of the protocol are read: what is said before a login, and the answer to a batch (MS-TDS §4.1, §4.7)', () => {
  expect(
    encryptionIn(
      hex('00 001A 0006 01 0020 0001 02 0021 0001 03 0022 0004 04 0026 0001 FF 09 00 00 00 00 00 01 00 B8 0D 00 00 01'),
    ),
  ).toBe(1)
  expect(encryptionIn(preLogin(3))).toBe(3)
  const seen: Buffer[] = []
  let messages = 0
  const answer = hex(
    `04 01 00 33 00 00 01 00 81 01 00 00 00 00 00 20 00 A7 03 00 09 04 D0 00 34 03 62 00 61 00 72 00
     D1 03 00 66 6F 6F FD 10 00 C1 00 01 00 00 00 00 00 00 00`,
  )
  const packets = new PacketReader(
    (bytes) => seen.push(bytes),
    () => {
      messages++
    },
  )
  for (const byte of answer) packets.read(Buffer.of(byte))
  expect(messages).toBe(1)
  expect(reported(Buffer.concat(seen))).toEqual([['bar'], ['foo'], { rows: 1, isLast: true }])
})

test('a login says who and where, and never the password as it is', () => {
  const body = login({
    username: 'sa',
    password: 'aÿ字',
    database: 'shop',
    program: 'p',
    server: 's',
    packetBytes: 4096,
  })
  expect(body.readUInt32LE(0)).toBe(body.length)
  expect(body.toString('utf16le')).not.toContain('字')
  const at = body.readUInt16LE(44)
  // 'a' is 61 00: its halves swapped are 16, and 16 xor A5 is B3 (§2.2.6.4).
  expect(body.subarray(at, at + 2).toString('hex')).toBe('b3a5')
  expect(body.readUInt16LE(46)).toBe(3)
})

test('a long message goes out in packets of the agreed length, and is read as one', () => {
  const body = Buffer.alloc(10_000, 7)
  const bytes = message(1, body, 4096)
  expect(bytes.length).toBe(10_000 + 3 * 8)
  const read: Buffer[] = []
  const packets = new PacketReader(
    (piece) => read.push(piece),
    () => read.push(Buffer.of(1)),
  )
  packets.read(bytes)
  expect(Buffer.concat(read)).toEqual(Buffer.concat([body, Buffer.of(1)]))
})

const cell = (type: string, value: string): Cell => ({ name: '', type: hex(type), value: hex(value) })
const collated = (type: string) => `${type} ${COLLATION.toString('hex')}`

test.each<[string, Cell, string | undefined]>([
  ['int', cell('26 04', '04 feffffff'), '-2'],
  ['bigint', cell('7f', 'ffffffffffffff7f'), '9223372036854775807'],
  ['tinyint is not signed', cell('30', 'ff'), '255'],
  ['bit', cell('68 01', '01 01'), '1'],
  ['real', cell('6d 04', '04 cdcccc3d'), '0.1'],
  ['float', cell('3e', '182d4454fb210940'), '3.141592653589793'],
  [
    'decimal(38,10), every digit of it',
    cell('6c 11 26 0a', `11 01 ${le(12345678901234567890123456789n)}`),
    '1234567890123456789.0123456789',
  ],
  ['decimal below one', cell('6a 05 09 04', '05 00 05000000'), '-0.0005'],
  ['money', cell('6e 08', '08 ffffffff f0d8ffff'), '-1.0000'],
  ['smallmoney', cell('7a', '39300000'), '1.2345'],
  [
    'uniqueidentifier',
    cell('24 10', '10 33221100 5544 7766 8899 aabbccddeeff'),
    '00112233-4455-6677-8899-AABBCCDDEEFF',
  ],
  ['date', cell('28', '03 80460b'), '2024-02-29'],
  ['time(7)', cell('29 07', '05 ffbf692ac9'), '23:59:59.9999999'],
  ['datetime', cell('6f 08', '08 25b10000 c0da3200'), '2024-02-29 03:05:09.333'],
  ['smalldatetime', cell('3a', '25b1 9f05'), '2024-02-29 23:59:00'],
  ['datetime2(0)', cell('2a 00', '06 010000 80460b'), '2024-02-29 00:00:01'],
  [
    'datetimeoffset(0) of the next day in its zone',
    cell('2b 00', '08 202a01 80460b e001'),
    '2024-03-01 05:12:00 +08:00',
  ],
  ['varbinary', cell('a5 1000', '0200 00ff'), '0x00FF'],
  ['varchar of a Chinese collation', cell('a7 6400 04080000 00', '0400 c4e3bac3'), '你好'],
  ['varchar of a UTF-8 collation', cell('a7 6400 09040004 00', '0600 e4bda0e5a5bd'), '你好'],
  ['char that is NULL', cell(collated('af 0a00'), 'ffff'), undefined],
  ['nvarchar(max) that is NULL', cell(collated('e7 ffff'), 'ffffffffffffffff'), undefined],
  ['xml', cell('f1 00', 'feffffffffffffff 04000000 3c006100 00000000'), '<a'],
  [
    'text, behind a pointer',
    cell(`${collated('23 ffffff7f')} 01 0100 7400`, '02 0102 0000000000000000 03000000 616263'),
    'abc',
  ],
  ['sql_variant of decimal', cell('62 491f0000', '09000000 6c 02 0902 01 39300000'), '123.45'],
])('%s', (_, value, text) => {
  expect(reported(Buffer.concat([columns([value]), row([value]), done({ rows: 1 })]))).toEqual([
    [''],
    [text],
    { rows: 1, isLast: true },
  ])
})

test('a value of any length is kept in part alone, and what is behind it is read', () => {
  const long = nvarcharMax('long', ['字'.repeat(40_000), 'b'.repeat(40_000)])
  const cells = [long, nvarchar('end', 'here')]
  const bytes = Buffer.concat([columns(cells), row(cells), rowWithNulls([undefined, nvarchar('end', 'there')])])
  expect(reported(bytes, 1000)).toEqual([
    ['long', 'end'],
    ['32768 cut', 'here'],
    [undefined, 'there'],
  ])
})

test('a limited part of a row is kept, and the values behind it are read all the same', () => {
  const long = (name: string) => nvarcharMax(name, ['字'.repeat(40_000)])
  const cells = [...Array.from({ length: 40 }, () => long('')), nvarchar('', 'gone'), cell('26 04', '04 feffffff')]
  const rows = reported(Buffer.concat([columns(cells), row(cells), done({})]), 9000)
  const values = rows[1] as string[]
  expect(values.filter((value) => value === '32768 cut')).toHaveLength(16)
  expect(values.slice(16)).toEqual([...Array.from({ length: 25 }, () => '0 cut'), '-2'])
  expect(rows[2]).toEqual({ rows: undefined, isLast: true })
})

test('bytes that are no answer of the server are refused, whatever comes behind them', () => {
  for (const bytes of [hex('00'), hex('81 0100 00000000 0000 77'), hex('aa 0300 000000'), hex('81 f0ff')])
    expect(() => reported(bytes)).toThrow(ProtocolViolation)
  expect(reported(error(208, 'no'))).toEqual([{ number: 208, level: 16, line: 1, text: 'no' }])
  const packets = new PacketReader(
    () => {},
    () => {},
  )
  expect(() => packets.read(hex('04 01 0007 0000 01 00'))).toThrow(ProtocolViolation)
})

/** Sixteen bytes, the lowest first. */
function le(value: bigint): string {
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex').reverse().toString('hex')
}
