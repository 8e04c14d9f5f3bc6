/**
 * The bytes of ZMODEM (Chuck Forsberg, "The ZMODEM Inter Application File Transfer Protocol", 1988)
 * as `sz` and `rz` speak it: frame headers, escaped data subpackets and their checks. The browser
 * carries transfers with it, the gateway follows them.
 */

// Browsers and Node have both; the contract itself is checked against neither.
declare const TextEncoder: new () => { encode(text: string): Uint8Array }
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string }

/** Kinds of frames. */
export const FRAME = {
  ZRQINIT: 0,
  ZRINIT: 1,
  ZSINIT: 2,
  ZACK: 3,
  ZFILE: 4,
  ZSKIP: 5,
  ZNAK: 6,
  ZABORT: 7,
  ZFIN: 8,
  ZRPOS: 9,
  ZDATA: 10,
  ZEOF: 11,
  ZFERR: 12,
  ZCRC: 13,
  ZCHALLENGE: 14,
  ZCOMMAND: 18,
} as const

/**
 * How a data subpacket ends: `END` of the frame; `GO` on without an answer; `ASK` for an answer and
 * go on; `WAIT` for an answer.
 */
export const SUBPACKET = { END: 0x68, GO: 0x69, ASK: 0x6a, WAIT: 0x6b } as const

export const BYTE = { ZPAD: 0x2a, ZDLE: 0x18, HEX: 0x42, BIN: 0x41, BIN32: 0x43, XON: 0x11, XOFF: 0x13 } as const

/**
 * Abilities of a receiver, in the last byte of its ZRINIT: both directions at once, disk and line at
 * once, 32-bit checks; wants all controls escaped.
 */
export const CAN = { FULL_DUPLEX: 0x01, OVERLAP: 0x02, CRC32: 0x20, ESCAPE_CONTROLS: 0x40 } as const

/**
 * Ends a transfer at once: the other side's program gives up; what it does not read of it erases
 * itself on a command line.
 */
export const ABORT_SEQUENCE: Uint8Array = Uint8Array.of(...Array(8).fill(BYTE.ZDLE), ...Array(10).fill(0x08))

/** Said by the sender as the very last. */
export const OVER_AND_OUT: Uint8Array = Uint8Array.of(0x4f, 0x4f)

/** Four bytes after the kind: a position in the file, or flags. */
export interface FrameHeader {
  kind: number
  /** As they are sent; of a position the lowest first. */
  bytes: Uint8Array
  /** The same as a number. */
  position: number
  /** Subpackets that follow are checked with 32 bits. */
  crc32: boolean
}

const CRC16 = Uint16Array.from({ length: 256 }, (_, n) => {
  let crc = n << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})
const CRC32 = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** The check of `bytes`, and of one more where there is one, in the order in which it is sent. */
export function checkOf(bytes: Uint8Array, with32: boolean, last?: number): Uint8Array {
  if (with32) {
    let crc = 0xffffffff
    for (const byte of bytes) crc = (CRC32[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
    if (last !== undefined) crc = (CRC32[(crc ^ last) & 0xff] as number) ^ (crc >>> 8)
    crc = ~crc
    return Uint8Array.of(crc, crc >>> 8, crc >>> 16, crc >>> 24)
  }
  let crc = 0
  for (const byte of bytes) crc = (CRC16[(crc >> 8) ^ byte] as number) ^ ((crc << 8) & 0xffff)
  if (last !== undefined) crc = (CRC16[(crc >> 8) ^ last] as number) ^ ((crc << 8) & 0xffff)
  return Uint8Array.of(crc >> 8, crc)
}

/** The four bytes of a position. */
export function positionBytes(position: number): Uint8Array {
  return Uint8Array.of(position, position >>> 8, position >>> 16, position >>> 24)
}

/** A header in hexadecimal digits, as receivers send all of theirs. `bytes` default to zeros. */
export function hexHeader(kind: number, bytes: Uint8Array = new Uint8Array(4)): Uint8Array {
  const content = Uint8Array.of(kind, ...bytes)
  const digits = [...content, ...checkOf(content, false)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const tail = kind === FRAME.ZFIN || kind === FRAME.ZACK ? [] : [BYTE.XON]
  return Uint8Array.of(
    BYTE.ZPAD,
    BYTE.ZPAD,
    BYTE.ZDLE,
    BYTE.HEX,
    ...new TextEncoder().encode(digits),
    0x0d,
    0x8a,
    ...tail,
  )
}

/**
 * What lines may take for their own: flow control, the escape of terminal servers (CR after @ too),
 * and our own escape.
 */
function mustEscape(byte: number, before: number, all: boolean): boolean {
  const low = byte & 0x7f
  if (byte === BYTE.ZDLE || low === 0x10 || low === BYTE.XON || low === BYTE.XOFF) return true
  if (all) return (byte & 0x60) === 0
  return low === 0x0d && (before & 0x7f) === 0x40
}

/**
 * Writes what the other side can read back, and answers the new length. `into` needs room for twice
 * as many.
 */
function escapeInto(into: Uint8Array, start: number, bytes: Uint8Array, all: boolean): number {
  let length = start
  let before = 0
  for (const byte of bytes) {
    if (mustEscape(byte, before, all)) {
      into[length++] = BYTE.ZDLE
      into[length++] = byte ^ 0x40
    } else into[length++] = byte
    before = byte
  }
  return length
}

export interface Encoding {
  crc32: boolean
  /** The receiver wants every control character escaped. */
  escapeAll: boolean
}

/** A binary header, as senders use them before data. */
export function binaryHeader(kind: number, bytes: Uint8Array, { crc32, escapeAll }: Encoding): Uint8Array {
  const content = Uint8Array.of(kind, ...bytes)
  const into = new Uint8Array(3 + 2 * 9)
  into.set([BYTE.ZPAD, BYTE.ZDLE, crc32 ? BYTE.BIN32 : BYTE.BIN])
  const length = escapeInto(into, 3, Uint8Array.of(...content, ...checkOf(content, crc32)), escapeAll)
  return into.slice(0, length)
}

/** One data subpacket of at most 1024 bytes, with its end and check. */
export function subpacket(data: Uint8Array, end: number, { crc32, escapeAll }: Encoding): Uint8Array {
  const into = new Uint8Array(2 * data.length + 2 + 8 + 1)
  let length = escapeInto(into, 0, data, escapeAll)
  into[length++] = BYTE.ZDLE
  into[length++] = end
  length = escapeInto(into, length, checkOf(data, crc32, end), escapeAll)
  if (end === SUBPACKET.WAIT) into[length++] = BYTE.XON
  return into.slice(0, length)
}

/** Facts about the coming file in a ZFILE. */
export interface FileFacts {
  name: string
  /** Undefined where the sender does not say. */
  size: number | undefined
  /** Files that come after this one. */
  left: number
}

/**
 * Reads the subpacket of a ZFILE: `name NUL size mtime mode serial files-left bytes-left`, where
 * all after the name may be missing.
 */
export function readFileFacts(data: Uint8Array): FileFacts {
  const nul = data.indexOf(0)
  const name = new TextDecoder().decode(nul < 0 ? data : data.subarray(0, nul))
  const rest = nul < 0 ? '' : new TextDecoder().decode(data.subarray(nul + 1)).replace(/\0[\s\S]*/, '')
  const [size, , , , files] = rest.split(' ')
  const left = /^\d+$/.test(files ?? '') ? Number(files) - 1 : 0
  return { name, size: /^\d+$/.test(size ?? '') ? Number(size) : undefined, left: Math.max(0, left) }
}

/** The subpacket of a ZFILE. `modified` in seconds. */
export function fileFacts({
  name,
  size,
  modified,
  left,
}: {
  name: string
  size: number
  modified: number
  left: number
}): Uint8Array {
  return new TextEncoder().encode(`${name}\0${size} ${Math.floor(modified).toString(8)} 0 0 ${left + 1} ${size}\0`)
}
