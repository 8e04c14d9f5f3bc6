/**
 * Content of the packets of Oracle's protocol once a listener has accepted, as a server of 19c
 * reads and writes it.
 */

/** Which version of the fields both sides write. */
export const FIELD_VERSION = 12
const CHARSET_UTF8 = 873
const CHARSET_UTF16 = 2000
const TYPE = { varchar: 1, number: 2, date: 12, raw: 23, clob: 112, timestamp: 180, timestampTz: 181 } as const
const LONG = 254
const SHORT_MAX = 252
const CHUNK = 32_767

export const u8 = (...bytes: number[]) => Buffer.from(bytes)
export const u16 = (value: number) => Buffer.of(value >> 8, value & 0xff)
const u16le = (value: number) => Buffer.of(value & 0xff, value >> 8)

/** A number behind how many bytes it has. */
export function ub(value: number): Buffer {
  if (!value) return u8(0)
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')
  return Buffer.concat([u8(bytes.length), bytes])
}

/** Bytes behind their length; many are cut into pieces. */
export function sized(bytes: Buffer): Buffer {
  if (bytes.length <= SHORT_MAX) return Buffer.concat([u8(bytes.length), bytes])
  const pieces: Buffer[] = [u8(LONG)]
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const piece = bytes.subarray(at, at + CHUNK)
    pieces.push(ub(piece.length), piece)
  }
  return Buffer.concat([...pieces, u8(0)])
}

/** A text behind its length, twice; none is a nought. */
const text = (value: string) =>
  value ? Buffer.concat([ub(Buffer.byteLength(value)), sized(Buffer.from(value))]) : u8(0)

/** Reads what a client has sent. */
export class Fields {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }
  byte(): number {
    return this.#bytes[this.at++] as number
  }
  skip(count: number): void {
    this.at += count
  }
  take(count: number): Buffer {
    const taken = this.#bytes.subarray(this.at, this.at + count)
    this.at += count
    return taken
  }
  number(): number {
    const length = this.byte()
    return length ? this.take(length).readUIntBE(0, length) : 0
  }
  numbers(count: number): void {
    for (let left = count; left > 0; left--) this.number()
  }
  /** Skips fields that nobody reads here: bytes (b) and numbers (n). */
  past(fields: string): void {
    for (const field of fields) field === 'b' ? this.byte() : this.number()
  }
  sized(): Buffer {
    const length = this.byte()
    if (length !== LONG) return this.take(length)
    const pieces: Buffer[] = []
    for (let piece = this.number(); piece; piece = this.number()) pieces.push(this.take(piece))
    return Buffer.concat(pieces)
  }
}

/** A key and what it says. */
export interface Pair {
  key: string
  value: string
  flag?: number
}

export function readPairs(fields: Fields, count: number): Map<string, string> {
  const pairs = new Map<string, string>()
  for (let left = count; left > 0; left--) {
    fields.number()
    const key = fields.sized().toString()
    pairs.set(key, fields.number() ? fields.sized().toString() : '')
    fields.number()
  }
  return pairs
}

export const pairsAnswer = (pairs: readonly Pair[]) =>
  Buffer.concat([
    ...[u8(8), ub(pairs.length)],
    ...pairs.map(({ key, value, flag = 0 }) => Buffer.concat([text(key), text(value), ub(flag)])),
  ])

export const protocolAnswer = () => {
  const compiled = Buffer.alloc(48)
  compiled[7] = FIELD_VERSION
  const atRuntime = Buffer.of(2, 1, 0, 0, 0, 0, 4)
  const characters = Buffer.concat([Buffer.alloc(9), u16(CHARSET_UTF16)])
  return Buffer.concat([
    ...[u8(1, 6, 0), Buffer.from('Oracle of tests\0'), u16le(CHARSET_UTF8), u8(0), u16le(0)],
    ...[u16(characters.length), characters, sized(compiled), sized(atRuntime)],
  ])
}

/** The time zone of the database is UTC; one of the types represents all. */
export const typesAnswer = () =>
  Buffer.concat([u8(2), u8(0x80, 0, 0, 0, 60, 60, 0x80, 0, 0, 0, 0), u16(1), u16(1), u16(1), u16(0), u16(0)])

/** Whether a transaction is open. */
const STATUS = { quiet: 0, transaction: 2 }
export const statusAnswer = (isInTransaction = false) =>
  Buffer.concat([u8(9), ub(isInTransaction ? STATUS.transaction : STATUS.quiet), ub(0)])

export interface End {
  isInTransaction: boolean
  cursor?: number
  rows?: number
  number?: number
  words?: string
  /** The compiled object has errors. */
  isInvalid?: boolean
}

/** How an answer ends, well or not. */
export const endAnswer = ({ isInTransaction, cursor = 0, rows = 0, number = 0, words = '', isInvalid = false }: End) =>
  Buffer.concat([
    ...[
      u8(4),
      ub(isInTransaction ? STATUS.transaction : STATUS.quiet),
      ub(0),
      ub(0),
      ub(number & 0xffff),
      ub(0),
      ub(0),
    ],
    ...[ub(cursor), ub(0), u8(0, 0, 0, 0, 0), u8(isInvalid ? 0x20 : 0)],
    // Place of the last row.
    ...[ub(0), ub(0), u8(0), ub(0), ub(0)],
    ...[ub(0), u8(0, 0), ub(0), ub(0), ub(0), ub(0), ub(0), ub(0)],
    ...[ub(number), ub(rows), number ? sized(Buffer.from(`${words}\n`)) : Buffer.alloc(0)],
  ])

/** A column, and how a value of it is written. */
export interface ColumnOf {
  name: string
  type: keyof typeof TYPE
}
/** `Buffer` of a large object: its locator. */
export type Cell = string | Buffer | null

export function describeAnswer(columns: readonly ColumnOf[]): Buffer {
  const described = columns.map(({ name, type }, at) => {
    const isText = type === 'varchar' || type === 'clob'
    const bytes = type === 'varchar' || type === 'raw' ? 4000 : 22
    return Buffer.concat([
      ...[u8(TYPE[type], 0, 0, 0), ub(bytes), ub(0), ub(0), ub(0), ub(0)],
      ...[ub(isText ? CHARSET_UTF8 : 0), u8(isText ? 1 : 0), ub(bytes), ub(0), u8(1, 0)],
      ...[text(name), text(''), text(''), ub(at + 1), ub(0)],
    ])
  })
  return Buffer.concat([
    ...[u8(16), sized(Buffer.alloc(0)), ub(0), ub(columns.length), u8(0), ...described],
    ...[ub(0), ub(0), ub(0), ub(0), ub(0), ub(0)],
  ])
}

export const rowsAnswer = (columns: readonly ColumnOf[], rows: readonly (readonly Cell[])[]) =>
  Buffer.concat([
    ...[u8(6, 0), ub(0), ub(0), ub(0), ub(0), ub(0), ub(0)],
    ...rows.flatMap((row) => [u8(7), ...row.map((cell, at) => cellBytes(cell, (columns[at] as ColumnOf).type))]),
  ])

function cellBytes(cell: Cell, type: keyof typeof TYPE): Buffer {
  if (cell === null) return u8(0)
  if (Buffer.isBuffer(cell)) {
    if (type === 'raw') return sized(cell)
    return Buffer.concat([ub(cell.length), ub(cell.readUInt32BE(36)), ub(8060), sized(cell)])
  }
  if (type === 'number') return sized(numberBytes(cell))
  if (type === 'date' || type === 'timestamp' || type === 'timestampTz') return sized(dateBytes(cell))
  return sized(Buffer.from(cell))
}

/** Pairs of digits behind an exponent; of negative ones the complement. */
function numberBytes(value: string): Buffer {
  const isNegative = value.startsWith('-')
  const [whole = '', fraction = ''] = value.replace('-', '').split('.')
  const evenWhole = whole.length % 2 ? `0${whole}` : whole
  const evenFraction = fraction.length % 2 ? `${fraction}0` : fraction
  let pairs = (evenWhole + evenFraction).match(/../g)?.map(Number) ?? []
  let exponent = evenWhole.length / 2 - 1
  while (pairs[0] === 0) {
    pairs = pairs.slice(1)
    exponent--
  }
  while (pairs.at(-1) === 0) pairs = pairs.slice(0, -1)
  if (!pairs.length) return u8(0x80)
  const first = exponent + 193
  return isNegative
    ? u8(first ^ 0xff, ...pairs.map((pair) => 101 - pair), 102)
    : u8(first, ...pairs.map((pair) => pair + 1))
}

/** `2026-01-31 23:59:58`, with a fraction, and with an offset, behind which it is in UTC. */
function dateBytes(value: string): Buffer {
  const [, year = '', month, day, hour, minute, second, fraction, zone] =
    /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{9}))?(?: ([+-]\d\d:\d\d))?$/.exec(value) ?? []
  const parts = [Number(year.slice(0, 2)) + 100, Number(year.slice(2)) + 100, Number(month), Number(day)]
  const bytes = [...parts, Number(hour) + 1, Number(minute) + 1, Number(second) + 1]
  if (fraction === undefined) return Buffer.from(bytes)
  const nanoseconds = Buffer.alloc(4)
  nanoseconds.writeUInt32BE(Number(fraction))
  if (!zone) return Buffer.concat([Buffer.from(bytes), nanoseconds])
  const [hours = 0, minutes = 0] = zone.split(':').map(Number)
  return Buffer.concat([Buffer.from(bytes), nanoseconds, u8(hours + 20, minutes + 60)])
}

/**
 * Locator of a large object of so many characters; forty bytes, of which the protocol says nothing.
 */
export function locator(id: number, characters: number): Buffer {
  const bytes = Buffer.alloc(40)
  bytes.writeUInt16BE(38, 0)
  bytes.writeUInt32BE(id, 32)
  bytes.writeUInt32BE(characters, 36)
  return bytes
}

/** A piece of a large object, which says where it is as well. */
export const largeAnswer = (where: Buffer, piece: string) =>
  Buffer.concat([u8(14), sized(Buffer.from(piece)), u8(8), where, ub(piece.length)])
