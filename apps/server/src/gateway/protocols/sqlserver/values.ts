/** Values as SQL Server's own tools write them ([MS-TDS] §2.2.5.5). */
import { ProtocolViolation } from '../protocol-violation.ts'
import type { Type } from './types.ts'

/** Limit of bytes that are shown. */
const HEX_BYTES = 256
const DAY_MS = 86_400_000
/** Days are counted from here, of the older types and of the newer. */
const OLD_EPOCH = Date.UTC(1900, 0, 1)
const EPOCH = Date.parse('0001-01-01T00:00:00Z')
/** Parts of a second of `datetime`. */
const TICKS = 300
const MINUTE_MS = 60_000

export const NUMBERS: ReadonlySet<Type['family']> = new Set(['integer', 'float', 'money', 'decimal'])

/** A value that is not NULL; `isCut`: there is more of it. Throws ProtocolViolation. */
export function valueText(type: Type, bytes: Buffer, isCut = false): { text: string; isCut: boolean } {
  switch (type.family) {
    case 'unicode':
      return { text: bytes.toString('utf16le', 0, bytes.length - (bytes.length % 2)), isCut }
    case 'text':
      return { text: decoded(type.encoding, bytes, isCut), isCut }
    case 'bytes':
      return {
        text: `0x${bytes.toString('hex', 0, HEX_BYTES).toUpperCase()}`,
        isCut: isCut || bytes.length > HEX_BYTES,
      }
    default:
      return { text: shortText(type, bytes), isCut }
  }
}

function shortText({ family, scale }: Type, bytes: Buffer): string {
  try {
    switch (family) {
      case 'bit':
        return bytes[0] ? '1' : '0'
      case 'integer':
        return String(bytes.length === 1 ? bytes[0] : bytes.length === 8 ? bytes.readBigInt64LE() : signed(bytes))
      case 'float':
        return String(bytes.length === 4 ? shortest(bytes.readFloatLE()) : bytes.readDoubleLE())
      case 'money':
        return withPoint(moneyOf(bytes), 4)
      case 'decimal':
        return withPoint(bytes[0] ? unsigned(bytes.subarray(1)) : -unsigned(bytes.subarray(1)), scale)
      case 'guid':
        return guid(bytes)
      case 'date':
        return dateAt(bytes.readUIntLE(0, 3))
      case 'time':
        return timeText(unsigned(bytes), scale)
      case 'datetime':
        return bytes.length === 4 ? smallDateTime(bytes) : dateTime(bytes)
      case 'datetime2':
        return `${dateAt(bytes.readUIntLE(bytes.length - 3, 3))} ${timeText(unsigned(bytes.subarray(0, -3)), scale)}`
      default:
        return dateTimeOffset(bytes, scale)
    }
  } catch (error) {
    if (error instanceof RangeError) throw new ProtocolViolation('invalid value')
    throw error
  }
}

/** A text that is cut may end within a character. */
function decoded(encoding: string, bytes: Buffer, isCut: boolean): string {
  return new TextDecoder(encoding).decode(bytes, { stream: isCut })
}

const signed = (bytes: Buffer): number => bytes.readIntLE(0, bytes.length)

function unsigned(bytes: Buffer): bigint {
  return bytes.length ? BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) : 0n
}

/** The fewest digits that mean the same number of four bytes. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

/** The upper half of eight bytes comes first. */
function moneyOf(bytes: Buffer): bigint {
  if (bytes.length === 4) return BigInt(bytes.readInt32LE())
  return (BigInt(bytes.readInt32LE()) << 32n) | BigInt(bytes.readUInt32LE(4))
}

function withPoint(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  return scale ? `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}` : sign + digits
}

/** The first three groups are numbers, the lowest byte first. */
function guid(bytes: Buffer): string {
  const [a, b, c] = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  )
  return `${a}-${b}-${c}-${bytes.toString('hex', 8, 10)}-${bytes.toString('hex', 10)}`.toUpperCase()
}

const isoDate = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)
const dateAt = (days: number) => isoDate(EPOCH + days * DAY_MS)

function timeText(units: bigint, scale: number): string {
  const perSecond = 10n ** BigInt(scale)
  const seconds = Number(units / perSecond)
  const fraction = scale ? `.${String(units % perSecond).padStart(scale, '0')}` : ''
  return `${clock(seconds)}${fraction}`
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function dateTime(bytes: Buffer): string {
  const ticks = bytes.readUInt32LE(4)
  const milliseconds = Math.round(((ticks % TICKS) * 1000) / TICKS)
  const date = isoDate(OLD_EPOCH + bytes.readInt32LE() * DAY_MS)
  return `${date} ${clock(Math.floor(ticks / TICKS))}.${String(milliseconds).padStart(3, '0')}`
}

function smallDateTime(bytes: Buffer): string {
  const minutes = bytes.readUInt16LE(2)
  return `${isoDate(OLD_EPOCH + bytes.readUInt16LE() * DAY_MS)} ${clock(minutes * 60)}`
}

/** The server sends the time in Greenwich; the one of its own zone is shown. */
function dateTimeOffset(bytes: Buffer, scale: number): string {
  const at = bytes.length - 5
  const offset = bytes.readInt16LE(at + 3)
  const perMinute = 60n * 10n ** BigInt(scale)
  const local = unsigned(bytes.subarray(0, at)) + BigInt(offset) * perMinute
  const day = perMinute * 1440n
  const days = local < 0n ? -1 : local >= day ? 1 : 0
  const time = timeText(local - BigInt(days) * day, scale)
  const zone = new Date(Math.abs(offset) * MINUTE_MS).toISOString().slice(11, 16)
  return `${dateAt(bytes.readUIntLE(at, 3) + days)} ${time} ${offset < 0 ? '-' : '+'}${zone}`
}
