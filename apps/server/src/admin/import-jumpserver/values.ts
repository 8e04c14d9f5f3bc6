/** Values of their columns. A value of another type than the column should have is undefined or a default, never an error. */

const HEX = /^[0-9a-f]{32}$/i
const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id with dashes, in small letters: they store `char(32)` without and other columns with them. */
export function uuid(value: string | null | undefined): string | undefined {
  if (!value) return undefined
  if (DASHED.test(value)) return value.toLowerCase()
  if (!HEX.test(value)) return undefined
  const hex = value.toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Text without characters that PostgreSQL does not store, and mended where it was encoded twice. */
export function text(value: string | null | undefined, most = Number.POSITIVE_INFINITY): string {
  const clean = decodedOnce((value ?? '').replaceAll('\0', '')).toWellFormed()
  return clean.length <= most ? clean : [...clean].slice(0, most).join('')
}

/** A secret: only without what cannot be stored, and never mended, since each letter counts. */
export const secretText = (value: string | null | undefined): string =>
  (value ?? '').replaceAll('\0', '').toWellFormed()

export const textOrNull = (value: string | null | undefined, most?: number): string | null => text(value, most) || null

/** `1` and `t` are true; anything else is not. */
export const bool = (value: string | null | undefined): boolean => /^(?:1|t|true)$/i.test(value ?? '')

export function int(value: string | null | undefined, least: number, most: number, otherwise: number): number {
  const number = Number(value)
  if (value === null || value === undefined || value.trim() === '' || !Number.isFinite(number)) return otherwise
  return Math.min(most, Math.max(least, Math.trunc(number)))
}

const FIRST = Date.UTC(1970, 0, 1)
const LAST = Date.UTC(9999, 11, 31)

/** A time in UTC, ISO 8601, between 1970 and 9999; null for none, for zero dates and for what is no date. */
export function date(value: string | null | undefined): string | null {
  if (!value || value.startsWith('0000-00-00')) return null
  if (/^-?infinity$/.test(value)) return new Date(value.startsWith('-') ? FIRST : LAST).toISOString()
  const [, day, time = '00:00:00', zone] =
    /^(\d{1,6}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*)?\s*(Z|[+-]\d\d(?::?\d\d)?)?( BC)?$/.exec(value) ?? []
  if (!day) return null
  const [year = '', ...rest] = day.split('-')
  if (year.length > 4) return new Date(LAST).toISOString()
  const offset = !zone || zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const moment = Date.parse(`${year.padStart(4, '0')}-${rest.join('-')}T${time}${offset}`)
  return Number.isNaN(moment) ? null : new Date(Math.min(LAST, Math.max(FIRST, moment))).toISOString()
}

/** JSON, also where it was stored as a text of JSON; undefined where it is none. */
export function json(value: string | null | undefined): unknown {
  if (!value) return undefined
  try {
    const once: unknown = JSON.parse(value)
    return typeof once === 'string' ? JSON.parse(once) : once
  } catch {
    return undefined
  }
}

export function jsonObject(value: string | null | undefined): Record<string, unknown> {
  const found = json(value)
  return found && typeof found === 'object' && !Array.isArray(found) ? (found as Record<string, unknown>) : {}
}

/** The texts of a list in JSON; an empty list where it is none. */
export function jsonTexts(value: string | null | undefined): string[] {
  const found = json(value)
  return Array.isArray(found)
    ? found.filter((one) => typeof one === 'string' && one !== '').map((one) => text(one))
    : []
}

/** The characters above 127 of Windows-1252, by byte: what old installations took UTF-8 for. */
const WINDOWS = new TextDecoder('windows-1252')
const BYTES = new Map(Array.from({ length: 256 }, (_, byte) => [WINDOWS.decode(Uint8Array.of(byte)), byte] as const))
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** The first byte of a letter in UTF-8 and one that follows, each read as a character. */
const TWICE = /[\u00c3-\u00f4][\u0080-\u00bf\u0152-\u02dc\u2013-\u2122\u20ac]/

/** `ä¸­` is `中` that was encoded twice, which is what latin1 connections have left. */
function decodedOnce(value: string): string {
  if (!TWICE.test(value)) return value
  const bytes = [...value].map((letter) => BYTES.get(letter))
  if (bytes.some((byte) => byte === undefined)) return value
  try {
    return UTF8.decode(Uint8Array.from(bytes as number[]))
  } catch {
    return value
  }
}
