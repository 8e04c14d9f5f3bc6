import type { TargetStream } from './streams.ts'

/** Two-byte forms of GBK (GB 18030, table of two-byte codes): lead and trail bytes. */
const LEAD = { first: 0x81, last: 0xfe }
const TRAIL = { first: 0x40, last: 0xfe, none: 0x7f }
const UNKNOWN = 0x3f // ?

let table: Uint16Array | undefined

/**
 * GBK codes by code point of the basic plane, 0 where there is none. Made once, in a few
 * milliseconds, from the runtime's decoder.
 */
function gbkTable(): Uint16Array {
  if (table) return table
  table = new Uint16Array(0x10000)
  const decoder = new TextDecoder('gbk', { ignoreBOM: true })
  for (let lead = LEAD.first; lead <= LEAD.last; lead++) {
    for (let trail = TRAIL.first; trail <= TRAIL.last; trail++) {
      if (trail === TRAIL.none) continue
      const text = decoder.decode(Uint8Array.of(lead, trail))
      const code = text.codePointAt(0) ?? 0
      // Anything that is not one character of the basic plane has no two-byte form.
      if (text.length === 1 && code !== 0xfffd && !table[code]) table[code] = lead * 256 + trail
    }
  }
  return table
}

/** Text as GBK; characters that GBK lacks become question marks. */
export function encodeGbk(text: string): Buffer {
  const codes = gbkTable()
  const bytes = Buffer.allocUnsafe(text.length * 2)
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const pair = code < 0x10000 ? (codes[code] ?? 0) : 0
    if (code < 0x80) bytes[length++] = code
    else if (pair) {
      bytes[length++] = pair >> 8
      bytes[length++] = pair & 0xff
    } else bytes[length++] = UNKNOWN
  }
  return bytes.subarray(0, length)
}

/**
 * Makes a machine that uses GBK look like one that uses UTF-8 to the rest of the gateway, the
 * person and the recording. Incomplete characters wait for the rest of them, in both directions.
 */
export function speakingGbk(machine: TargetStream): TargetStream {
  const fromMachine = new TextDecoder('gbk', { ignoreBOM: true })
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
