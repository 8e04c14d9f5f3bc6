/** Types of columns ([MS-TDS] §2.2.5.4 and §2.2.5.5): how long their values are, and what they are. */
import type { ByteSource, Reading } from '../byte-source.ts'
import { ProtocolViolation } from '../protocol-violation.ts'

/** Families of values, whatever their types are called. */
export type Family =
  | 'integer'
  | 'bit'
  | 'float'
  | 'money'
  | 'decimal'
  | 'date'
  | 'time'
  | 'datetime'
  | 'datetime2'
  | 'datetimeoffset'
  | 'text'
  | 'unicode'
  | 'bytes'
  | 'guid'
  | 'variant'

/** How a value says its length. */
export type Length = { fixed: number } | 'byte' | 'short' | 'long' | 'pointer' | 'chunks'

export interface Type {
  family: Family
  length: Length
  /** Digits behind the point, of numbers and seconds. */
  scale: number
  /** The encoding of texts that are not Unicode. */
  encoding: string
}

const FIXED: Readonly<Record<number, readonly [Family, number]>> = {
  31: ['integer', 0],
  48: ['integer', 1],
  50: ['bit', 1],
  52: ['integer', 2],
  56: ['integer', 4],
  58: ['datetime', 4],
  59: ['float', 4],
  60: ['money', 8],
  61: ['datetime', 8],
  62: ['float', 8],
  122: ['money', 4],
  127: ['integer', 8],
}
/** With a length of a byte, in the type and in each value. */
const BYTE: Readonly<Record<number, Family>> = {
  36: 'guid',
  38: 'integer',
  104: 'bit',
  109: 'float',
  110: 'money',
  111: 'datetime',
  37: 'bytes',
  45: 'bytes',
}
const BYTE_TEXT: ReadonlySet<number> = new Set([39, 47])
const DECIMAL: ReadonlySet<number> = new Set([55, 63, 106, 108])
const DATE = 40
const SCALED: Readonly<Record<number, Family>> = { 41: 'time', 42: 'datetime2', 43: 'datetimeoffset' }
const SHORT: Readonly<Record<number, Family>> = {
  165: 'bytes',
  167: 'text',
  173: 'bytes',
  175: 'text',
  231: 'unicode',
  239: 'unicode',
}
const POINTER: Readonly<Record<number, Family>> = { 34: 'bytes', 35: 'text', 99: 'unicode' }
const VARIANT = 98
const CLR = 240
const XML = 241
/** Length of `(max)`: the value comes in chunks. */
const UNLIMITED = 0xffff
const COLLATION_BYTES = 5
/** Those who read a column's text need the encoding of its collation. */
const hasCollation = (family: Family) => family === 'text' || family === 'unicode'

/** The type of a column, without its name. Throws ProtocolViolation. */
export function* readType(source: ByteSource): Reading<Type> {
  const token = yield* byte(source)
  const type = { scale: 0, encoding: 'windows-1252' }
  const fixed = FIXED[token]
  if (fixed) return { ...type, family: fixed[0], length: { fixed: fixed[1] } }
  if (BYTE_TEXT.has(token)) {
    yield* source.take(1)
    return { ...type, family: 'text', length: 'byte', encoding: yield* readCollation(source) }
  }
  const family = BYTE[token]
  if (family) {
    yield* source.take(1)
    return { ...type, family, length: 'byte' }
  }
  if (DECIMAL.has(token)) {
    const [, , scale = 0] = yield* source.take(3)
    return { ...type, family: 'decimal', length: 'byte', scale }
  }
  if (token === DATE) return { ...type, family: 'date', length: 'byte' }
  const scaled = SCALED[token]
  if (scaled) return { ...type, family: scaled, length: 'byte', scale: yield* byte(source) }
  const short = SHORT[token]
  if (short) {
    const most = (yield* source.take(2)).readUInt16LE()
    const encoding = hasCollation(short) ? yield* readCollation(source) : type.encoding
    return { ...type, family: short, length: most === UNLIMITED ? 'chunks' : 'short', encoding }
  }
  const pointer = POINTER[token]
  if (pointer) {
    yield* source.take(4)
    const encoding = hasCollation(pointer) ? yield* readCollation(source) : type.encoding
    for (let parts = yield* byte(source); parts > 0; parts--) yield* skipText(source, 2)
    return { ...type, family: pointer, length: 'pointer', encoding }
  }
  if (token === VARIANT) {
    yield* source.take(4)
    return { ...type, family: 'variant', length: 'long' }
  }
  if (token === XML) {
    if (yield* byte(source)) {
      yield* skipText(source, 1)
      yield* skipText(source, 1)
      yield* skipText(source, 2)
    }
    return { ...type, family: 'unicode', length: 'chunks' }
  }
  if (token === CLR) {
    yield* source.take(2)
    for (const size of [1, 1, 1, 2] as const) yield* skipText(source, size)
    return { ...type, family: 'bytes', length: 'chunks' }
  }
  throw new ProtocolViolation('unknown type of column')
}

/** The type of the value in a variant, where its properties are before the value (§2.2.5.5.4). */
export function variantType(token: number, properties: Buffer): Type {
  const type = { length: 'long' as const, scale: 0, encoding: 'windows-1252' }
  const fixed = FIXED[token]
  if (fixed) return { ...type, family: fixed[0] }
  if (DECIMAL.has(token)) return { ...type, family: 'decimal', scale: properties[1] ?? 0 }
  if (token === DATE) return { ...type, family: 'date' }
  const scaled = SCALED[token]
  if (scaled) return { ...type, family: scaled, scale: properties[0] ?? 0 }
  const family = SHORT[token] ?? BYTE[token]
  if (!family) throw new ProtocolViolation('unknown type in a variant')
  return { ...type, family, encoding: family === 'text' ? encodingOf(properties) : type.encoding }
}

export function* byte(source: ByteSource): Reading<number> {
  return (yield* source.take(1))[0] as number
}

/** A text that nobody wants; its length in characters, in so many bytes, is before it. */
export function* skipText(source: ByteSource, lengthBytes: 1 | 2): Reading<void> {
  yield* source.skip((yield* source.take(lengthBytes)).readUIntLE(0, lengthBytes) * 2)
}

function* readCollation(source: ByteSource): Reading<string> {
  return encodingOf(yield* source.take(COLLATION_BYTES))
}

/** Languages (LCID) whose code page is not the one of Western Europe, by the last ten bits. */
const PAGES: readonly (readonly [encoding: string, languages: readonly number[]])[] = [
  ['windows-1250', [0x05, 0x0e, 0x15, 0x18, 0x1a, 0x1b, 0x1c, 0x24, 0x42]],
  ['windows-1251', [0x02, 0x19, 0x22, 0x23, 0x2f, 0x3f, 0x40, 0x43, 0x44, 0x50, 0x6d, 0x85]],
  ['windows-1253', [0x08]],
  ['windows-1254', [0x1f, 0x2c]],
  ['windows-1255', [0x0d]],
  ['windows-1256', [0x01, 0x20, 0x29, 0x80, 0x8c]],
  ['windows-1257', [0x25, 0x26, 0x27]],
  ['windows-1258', [0x2a]],
  ['windows-874', [0x1e]],
  ['shift_jis', [0x11]],
  ['euc-kr', [0x12]],
]
const ENCODINGS = new Map(PAGES.flatMap(([encoding, languages]) => languages.map((one) => [one, encoding] as const)))
const CHINESE = 0x04
/** Taiwan, Hong Kong, Macau. */
const TRADITIONAL: ReadonlySet<number> = new Set([0x0404, 0x0c04, 0x1404])
/** In the flags of a collation (§2.2.5.1.2): its texts are UTF-8. */
const UTF8_FLAG = 1 << 26

function encodingOf(collation: Buffer): string {
  if (collation.length < COLLATION_BYTES) return 'windows-1252'
  const bits = collation.readUInt32LE()
  if (bits & UTF8_FLAG) return 'utf-8'
  const language = bits & 0xffff
  const primary = language & 0x3ff
  if (primary === CHINESE) return TRADITIONAL.has(language) ? 'big5' : 'gbk'
  return ENCODINGS.get(primary) ?? 'windows-1252'
}
