/**
 * The text of the Guacamole protocol, as recordings of guacd have it: `4.size,1.0,4.1024,3.768;`.
 * Each element has its length before it, in code points. Read as bytes, so that what is damaged
 * stays as it is, and the same by the server and the player.
 */

/** One instruction in the bytes that it was read from. */
export interface Instruction {
  opcode: string
  /** Its first byte, and that of the next one. */
  from: number
  to: number
  /** An element by its number, the opcode apart; empty where there are fewer. */
  text: (n: number) => string
  /** Likewise, as a number; 0 for what is none. */
  number: (n: number) => number
  /** How many elements follow the opcode. */
  count: number
}

/** Longer than any that guacd sends: older ones sent a whole picture in one. */
export const MAX_INSTRUCTION_BYTES = 8 * 1024 * 1024
const MAX_ELEMENTS = 64
const [ZERO, NINE, DOT, COMMA, SEMICOLON] = [0x30, 0x39, 0x2e, 0x2c, 0x3b]

/** Browsers and Node have it; this package has the types of neither. */
declare const TextDecoder: new () => { decode: (bytes: Uint8Array) => string }

const decoder = new TextDecoder()

/**
 * The instruction that begins there. `more`: the bytes end before it does. `broken`: there is none,
 * or one that is too long; nothing after it can be read.
 */
export function readInstruction(bytes: Uint8Array, from: number): Instruction | 'more' | 'broken' {
  const bounds: number[] = []
  let at = from
  for (;;) {
    const element = readElement(bytes, at, from + MAX_INSTRUCTION_BYTES)
    if (typeof element === 'string') return element
    bounds.push(element.start, element.end)
    at = element.end + 1
    if (bytes[element.end] === SEMICOLON) return instruction(bytes, from, at, bounds)
    if (bounds.length >= 2 * MAX_ELEMENTS) return 'broken'
  }
}

function readElement(
  bytes: Uint8Array,
  from: number,
  limit: number,
): { start: number; end: number } | 'more' | 'broken' {
  let length = 0
  let at = from
  for (; at < bytes.length && bytes[at] !== DOT; at++) {
    const digit = bytes[at] as number
    if (digit < ZERO || digit > NINE || at - from > 7) return 'broken'
    length = length * 10 + digit - ZERO
  }
  if (at === bytes.length) return 'more'
  if (at === from || from + length > limit) return 'broken'
  const start = at + 1
  let end = start
  // A code point goes on over the bytes that continue it.
  for (let left = length; end < bytes.length; end++) {
    const begins = ((bytes[end] as number) & 0xc0) !== 0x80
    if (begins && left-- === 0) break
    // Bytes that only continue are not counted, and could go on forever.
    if (end >= limit) return 'broken'
  }
  if (end >= bytes.length) return 'more'
  return bytes[end] === COMMA || bytes[end] === SEMICOLON ? { start, end } : 'broken'
}

function instruction(bytes: Uint8Array, from: number, to: number, bounds: number[]): Instruction {
  const text = (n: number) => decoder.decode(bytes.subarray(bounds[2 * n + 2] ?? 0, bounds[2 * n + 3] ?? 0))
  return {
    opcode: decoder.decode(bytes.subarray(bounds[0], bounds[1])),
    from,
    to,
    text,
    number: (n) => Number.parseInt(text(n), 10) || 0,
    count: bounds.length / 2 - 1,
  }
}

/** All whole instructions of a text; what is cut off or damaged at its end is left. */
export function* instructionsOf(bytes: Uint8Array): Generator<Instruction> {
  for (let at = 0; at < bytes.length; ) {
    const next = readInstruction(bytes, at)
    if (typeof next === 'string') return
    yield next
    at = next.to
  }
}

const MAX_STREAMS = 64

/**
 * Notes an image whose parts follow, by the number of its stream. Beyond 64 that have no end the
 * oldest is forgotten, by the server as by the player.
 */
export function openStream<Image>(images: Map<number, Image>, stream: number, image: Image): void {
  images.delete(stream)
  const [oldest] = images.keys()
  if (oldest !== undefined && images.size >= MAX_STREAMS) images.delete(oldest)
  images.set(stream, image)
}

/** Whether a recording begins as one of Guacamole. */
export const beginsAsGuacamole = (bytes: Uint8Array): boolean => {
  const first = readInstruction(bytes.subarray(0, 65_536), 0)
  return first === 'more' ? /^\d{1,7}\.[a-z]{1,}/.test(decoder.decode(bytes.subarray(0, 32))) : first !== 'broken'
}
