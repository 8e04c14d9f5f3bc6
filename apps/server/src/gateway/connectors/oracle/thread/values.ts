/** Values as they are shown: exactly, and of long ones the beginning. */
import { createRequire } from 'node:module'
import type { Lob, Metadata, ResultSet } from 'oracledb'
import { ROW_BYTES, VALUE_BYTES } from '../../../protocols/byte-source.ts'
import type { ShownRow } from '../../../protocols/oracle/driver-messages.ts'

const require = createRequire(import.meta.url)
const oracledb: typeof import('oracledb').default = require('oracledb')
const {
  BaseBuffer,
}: typeof import('oracledb/lib/impl/datahandlers/buffer.js') = require('oracledb/lib/impl/datahandlers/buffer.js')

/** Limit of bytes that are shown, */
const HEX_BYTES = 256
/** limit of characters or bytes of a large object that are fetched at once. */
const LARGE_PIECE = 32 * 1024
const NUMBERS = new Set([
  ...[oracledb.DB_TYPE_NUMBER, oracledb.DB_TYPE_BINARY_INTEGER],
  ...[oracledb.DB_TYPE_BINARY_DOUBLE, oracledb.DB_TYPE_BINARY_FLOAT],
])
const AS_TEXT = new Set([
  oracledb.DB_TYPE_NUMBER,
  ...[oracledb.DB_TYPE_DATE, oracledb.DB_TYPE_TIMESTAMP],
  ...[oracledb.DB_TYPE_TIMESTAMP_TZ, oracledb.DB_TYPE_TIMESTAMP_LTZ],
])

export const isNumber = ({ dbType }: Metadata): boolean => NUMBERS.has(dbType)

/** Numbers have more digits than JavaScript's, and dates more of a second. */
export const asText = ({ dbType }: Metadata) => (AS_TEXT.has(dbType) ? { type: oracledb.STRING } : undefined)

/** The driver makes a `Date` of each, which has no more than milliseconds and no offset of its own. */
export function readDatesExactly(): void {
  BaseBuffer.prototype.parseOracleDate = function (bytes, _isLocal, isOfDatabase) {
    return dateText(bytes, isOfDatabase ? (this.caps?.dbTzOffset ?? undefined) : undefined)
  }
}

/**
 * A date of Oracle: century and year 100 too large, hour, minute and second one; then nanoseconds,
 * and the offset of a time that is in UTC.
 * @param offset minutes, for a value in the time of the database
 */
function dateText(bytes: Buffer, offset: number | undefined): string {
  const [century = 100, year = 100, month = 1, day = 1, hour = 1, minute = 1, second = 1] = bytes
  const nanoseconds = bytes.length >= 11 ? bytes.readUInt32BE(7) : 0
  const full = (century - 100) * 100 + (year - 100)
  const fraction = nanoseconds ? `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}` : ''
  const of = (years: number, months: number, days: number, hours: number, minutes: number, seconds: number) =>
    `${years < 0 ? '-' : ''}${two(Math.abs(years), 4)}-${two(months)}-${two(days)} ${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}`
  if (bytes.length < 13) {
    const there = of(full, month, day, hour - 1, minute - 1, second - 1)
    return offset === undefined ? there : `${there} ${offsetText(offset)}`
  }
  const [zoneHour = 20, zoneMinute = 60] = bytes.subarray(11)
  // A region: its rules are the server's.
  const own = zoneHour & 0x80 ? 0 : (zoneHour - 20) * 60 + (zoneMinute - 60)
  const at = new Date(0)
  at.setUTCFullYear(full, month - 1, day)
  at.setUTCHours(hour - 1, minute - 1 + own, second - 1)
  const there = of(
    ...([at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()] as const),
    ...([at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()] as const),
  )
  return `${there} ${offsetText(own)}`
}

const two = (value: number, digits = 2) => String(value).padStart(digits, '0')
const offsetText = (minutes: number) =>
  `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`

/** A row as it is shown; large objects are read as far as that. */
export async function shownRow(values: readonly unknown[]): Promise<ShownRow> {
  const shown: ({ text: string; isCut: boolean } | undefined)[] = []
  let left = ROW_BYTES
  for (const value of values) {
    const one = await shownValue(value)
    const kept = one && cut(one.text, one.isCut, Math.min(VALUE_BYTES, left))
    left -= kept?.text.length ?? 0
    shown.push(kept)
  }
  return shown
}

async function shownValue(value: unknown): Promise<{ text: string; isCut: boolean } | undefined> {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return { text: value, isCut: false }
  if (Buffer.isBuffer(value)) return hex(value, false)
  if (typeof value === 'boolean') return { text: value ? 'TRUE' : 'FALSE', isCut: false }
  if (typeof value !== 'object') return { text: String(value), isCut: false }
  if ('getData' in value) return largeObject(value as Lob)
  if ('getRows' in value) {
    await (value as ResultSet).close()
    return { text: '(cursor)', isCut: false }
  }
  return { text: intervalText(value) ?? JSON.stringify(value) ?? '', isCut: false }
}

async function largeObject(lob: Lob): Promise<{ text: string; isCut: boolean } | undefined> {
  const data = await lob.getData(1, LARGE_PIECE)
  await lob.close()
  if (typeof data === 'string') return { text: data, isCut: data.length >= LARGE_PIECE }
  return data ? hex(data, data.length >= LARGE_PIECE) : { text: '', isCut: false }
}

const hex = (bytes: Buffer, isCut: boolean) => ({
  text: bytes.toString('hex', 0, HEX_BYTES).toUpperCase(),
  isCut: isCut || bytes.length > HEX_BYTES,
})

/** As the server writes intervals. */
function intervalText(value: object): string | undefined {
  if ('months' in value && 'years' in value) {
    const { years, months } = value as { years: number; months: number }
    return `${years < 0 || months < 0 ? '-' : '+'}${two(Math.abs(years))}-${two(Math.abs(months))}`
  }
  if (!('fseconds' in value)) return undefined
  const { days, hours, minutes, seconds, fseconds } = value as Record<
    'days' | 'hours' | 'minutes' | 'seconds' | 'fseconds',
    number
  >
  const isNegative = [days, hours, minutes, seconds, fseconds].some((part) => part < 0)
  const [d, h, m, s, f] = [days, hours, minutes, seconds, fseconds].map(Math.abs) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return `${isNegative ? '-' : '+'}${two(d)} ${two(h)}:${two(m)}:${two(s)}${f ? `.${two(f, 9)}` : ''}`
}

/** At a whole character. */
function cut(text: string, isCut: boolean, most: number): { text: string; isCut: boolean } {
  if (text.length <= most) return { text, isCut }
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most
  return { text: text.slice(0, end), isCut: true }
}
