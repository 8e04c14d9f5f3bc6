import type { TargetStream } from './streams.ts'

/** Two-byte forms, which are GBK (GB 18030, table of two-byte codes): lead and trail bytes. */
const LEAD = { first: 0x81, last: 0xfe }
const TRAIL = { first: 0x40, last: 0xfe, none: 0x7f }
/** Four-byte forms, counted on from 81308130: those of the basic plane, and the first of all others. */
const FOUR_BYTE_FORMS = 39_420
const FIRST_BEYOND = 189_000
const LINE_FEED = 0x0a
const UNKNOWN = 0x3f // ?
const REPLACEMENT = 0xfffd

interface Codes {
  /** Two-byte codes by code point of the basic plane, 0 where there is none. */
  two: Uint16Array
  /** Numbers of four-byte forms by code point of the basic plane, plus 1; 0 where there is none. */
  four: Uint16Array
}

let codes: Codes | undefined

/** Made once, in a few milliseconds, from the runtime's decoder. */
function codesOfGb18030(): Codes {
  if (codes) return codes
  const pairs: number[][] = []
  for (let lead = LEAD.first; lead <= LEAD.last; lead++)
    for (let trail = TRAIL.first; trail <= TRAIL.last; trail++) if (trail !== TRAIL.none) pairs.push([lead, trail])
  const forms = Array.from({ length: FOUR_BYTE_FORMS }, (_, form) => fourBytesOf(form))
  const two = new Uint16Array(0x10000)
  const four = new Uint16Array(0x10000)
  decodeEach(pairs, (at, code) => {
    two[code] ||= (pairs[at]?.[0] ?? 0) * 256 + (pairs[at]?.[1] ?? 0)
  })
  decodeEach(forms, (form, code) => {
    if (!two[code]) four[code] = form + 1
  })
  codes = { two, four }
  return codes
}

/** Visits each code that is one character of the basic plane, with its place. */
function decodeEach(all: readonly (readonly number[])[], tell: (at: number, code: number) => void): void {
  const size = (all[0]?.length ?? 0) + 1
  // A line feed ends whatever came before it, also what is no code.
  const bytes = new Uint8Array(all.length * size).fill(LINE_FEED)
  for (const [at, code] of all.entries()) bytes.set(code, at * size)
  const text = new TextDecoder('gb18030', { ignoreBOM: true }).decode(bytes)
  for (let at = 0, start = 0; at < all.length; at++) {
    const end = text.indexOf('\n', start)
    const code = text.charCodeAt(start)
    if (end === start + 1 && code !== REPLACEMENT) tell(at, code)
    start = end + 1
  }
}

const fourBytesOf = (form: number) => [
  0x81 + Math.floor(form / 12_600),
  0x30 + (Math.floor(form / 1260) % 10),
  0x81 + (Math.floor(form / 10) % 126),
  0x30 + (form % 10),
]

/**
 * Text as GBK, or for characters that GBK lacks as GB 18030, which contains it. Halves of a character
 * become question marks.
 */
export function encodeGbk(text: string): Buffer {
  const { two, four } = codesOfGb18030()
  const bytes = Buffer.allocUnsafe(text.length * 4)
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const pair = code < 0x10000 ? (two[code] ?? 0) : 0
    const form = code < 0x10000 ? (four[code] ?? 0) - 1 : FIRST_BEYOND + code - 0x10000
    if (code < 0x80) bytes[length++] = code
    else if (pair) {
      bytes[length++] = pair >> 8
      bytes[length++] = pair & 0xff
    } else if (form >= 0) for (const byte of fourBytesOf(form)) bytes[length++] = byte
    else bytes[length++] = UNKNOWN
  }
  return bytes.subarray(0, length)
}

/**
 * Makes a machine that uses GBK look like one that uses UTF-8 to the rest of the gateway, the
 * person and the recording. Incomplete characters wait for the rest of them, in both directions.
 */
export function speakingGbk(machine: TargetStream): TargetStream {
  const fromMachine = new TextDecoder('gb18030', { ignoreBOM: true })
  const fromPerson = new TextDecoder('utf-8', { ignoreBOM: true })
  let isRaw = false
  return {
    ...machine,
    setRaw(raw) {
      isRaw = raw
      machine.setRaw?.(raw)
    },
    start: (onOutput, onEnd) =>
      machine.start(
        (bytes, stream) => {
          if (isRaw) return onOutput(bytes, stream)
          const text = fromMachine.decode(bytes, { stream: true })
          if (text) onOutput(Buffer.from(text), stream)
        },
        (end) => {
          const rest = fromMachine.decode()
          if (rest) onOutput(Buffer.from(rest), 'stdout')
          onEnd(end)
        },
      ),
    write: (bytes) => machine.write(isRaw ? bytes : encodeGbk(fromPerson.decode(bytes, { stream: true }))),
  }
}
