import { BYTE, checkOf, FRAME, type FrameHeader, SUBPACKET } from './wire.ts'

/** Longer subpackets than any program sends; what claims to be one is none. */
const MAX_SUBPACKET = 32 * 1024
/** Bytes of an incomplete packet that are kept as they came. */
const MAX_UNFINISHED = 4096
/** So many in a row mean that the other side has given up. */
const CANCELS = 5

export interface PacketEvents {
  header(header: FrameHeader): void
  /** A subpacket whose check is right. The bytes are valid during the call only. */
  data(bytes: Uint8Array, end: number): void
  /** Something was no header or subpacket after all, or has a wrong check. */
  damaged(): void
  cancelled(): void
  /** Bytes between packets: words of a program, the prompt of a shell. */
  stray(bytes: Uint8Array): void
  /**
   * The end of what was taken for a packet, as it came, and was none. Its sender may have stopped in
   * the middle, and somebody else said the rest.
   */
  torn?(bytes: Uint8Array): void
}

const WITH_DATA: ReadonlySet<number> = new Set([FRAME.ZSINIT, FRAME.ZFILE, FRAME.ZDATA, FRAME.ZCOMMAND])
/** Padding, flow control, and the backspaces of an abort. */
const BETWEEN: ReadonlySet<number> = new Set([BYTE.ZPAD, BYTE.XON, BYTE.XOFF, 0x91, 0x93, 0x08])
/** What ends the line of a hexadecimal header. */
const LINE_END: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x8d, 0x8a])

/**
 * One direction of a transfer, cut into its packets, wherever the pieces that arrive are cut. A
 * header may begin with its ZDLE: a reader that found the first one may have read the bytes before it.
 */
export class PacketParser {
  readonly #events: PacketEvents
  #state: 'between' | 'kind' | 'hex' | 'binary' | 'data' | 'check' = 'between'
  /** Bytes that still end the line of a header. */
  #lineEnd = 0
  /** The last byte was an escape. */
  #escaped = false
  #cancels = 0
  #crc32 = false
  readonly #buffer = new Uint8Array(MAX_SUBPACKET)
  #length = 0
  readonly #check: number[] = []
  #end = 0
  #stopped = false
  /** See `unfinished`; without what the present piece has of it. */
  #unfinished = new Uint8Array()
  /** A packet has become whole, or was given up, with the latest byte. */
  #isOver = false

  constructor(events: PacketEvents) {
    this.#events = events
  }

  /** Reads no further; `push` answers where it stopped. For use in an event. */
  stop(): void {
    this.#stopped = true
  }

  /** Nothing of a packet has been read that is not whole. */
  get isBetween(): boolean {
    return this.#state === 'between'
  }

  /**
   * The end of what has been read of a packet that is not whole, as it came; all there is when its
   * sender has stopped in the middle.
   */
  get unfinished(): Uint8Array {
    return this.#unfinished
  }

  /** Answers how many bytes were read: all of them, but for `stop`. */
  push(bytes: Uint8Array): number {
    this.#stopped = false
    let at = 0
    /** Where the packet begins that is not whole; before it stands `#unfinished`. */
    let start = 0
    while (at < bytes.length && !this.#stopped) {
      const wasBetween = this.isBetween
      if (this.#state === 'data' && !this.#escaped) at = this.#plainData(bytes, at)
      else if (this.#state === 'between') at = this.#between(bytes, at)
      else this.#byte(bytes[at++] as number)
      if (!this.isBetween && !this.#isOver) continue
      if (!wasBetween && !this.#isOver) this.#events.torn?.(this.#with(bytes.subarray(start, at)))
      this.#isOver = false
      this.#unfinished = new Uint8Array()
      start = at
    }
    this.#unfinished = this.#with(bytes.subarray(start, at))
    return at
  }

  #with(more: Uint8Array): Uint8Array<ArrayBuffer> {
    const end = more.subarray(-MAX_UNFINISHED)
    const all = new Uint8Array(this.#unfinished.length + end.length)
    all.set(this.#unfinished)
    all.set(end, this.#unfinished.length)
    return all.slice(-MAX_UNFINISHED)
  }

  /** Data up to the next escape: nearly all bytes of a transfer come by here. */
  #plainData(bytes: Uint8Array, start: number): number {
    let at = start
    if (this.#lineEnd > 0) {
      if (LINE_END.has(bytes[at] as number)) {
        this.#lineEnd--
        return at + 1
      }
      this.#lineEnd = 0
    }
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte === BYTE.ZDLE) {
        this.#escaped = true
        this.#cancels = 1
        return at + 1
      }
      if ((byte & 0x7f) === BYTE.XON || (byte & 0x7f) === BYTE.XOFF) continue
      if (this.#length === MAX_SUBPACKET) {
        this.#fail()
        return at
      }
      this.#buffer[this.#length++] = byte
    }
    return at
  }

  #between(bytes: Uint8Array, start: number): number {
    let at = start
    if (this.#lineEnd > 0 && LINE_END.has(bytes[at] as number)) {
      this.#lineEnd--
      return at + 1
    }
    this.#lineEnd = 0
    while (at < bytes.length) {
      const byte = bytes[at] as number
      if (byte === BYTE.ZDLE || BETWEEN.has(byte)) break
      at++
    }
    if (at > start) {
      this.#cancels = 0
      this.#events.stray(bytes.subarray(start, at))
      return at
    }
    if (bytes[at] !== BYTE.ZDLE) {
      this.#cancels = 0
      return at + 1
    }
    this.#state = 'kind'
    this.#cancelled()
    return at + 1
  }

  #cancelled(): void {
    if (++this.#cancels < CANCELS) return
    this.#cancels = 0
    this.#state = 'between'
    this.#isOver = true
    this.#events.cancelled()
  }

  #byte(byte: number): void {
    switch (this.#state) {
      case 'kind':
        this.#kind(byte)
        break
      case 'hex':
        this.#hexDigit(byte)
        break
      default:
        this.#escapable(byte)
    }
  }

  #kind(byte: number): void {
    if (byte === BYTE.ZDLE) {
      this.#cancelled()
      return
    }
    this.#cancels = 0
    this.#length = 0
    this.#escaped = false
    if (byte === BYTE.HEX) this.#state = 'hex'
    else if (byte === BYTE.BIN || byte === BYTE.BIN32) {
      this.#state = 'binary'
      this.#crc32 = byte === BYTE.BIN32
    } else this.#state = 'between'
  }

  #hexDigit(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte & 0x7f), 16)
    if (Number.isNaN(digit)) {
      this.#fail()
      return
    }
    this.#buffer[this.#length++] = digit
    if (this.#length < 14) return
    const content = new Uint8Array(7)
    for (let n = 0; n < 7; n++) content[n] = (this.#buffer[2 * n] as number) * 16 + (this.#buffer[2 * n + 1] as number)
    this.#crc32 = false
    this.#lineEnd = 2
    this.#header(content)
  }

  /**
   * A byte in which ZDLE means something: of a binary header, of data after an escape, of a check.
   */
  #escapable(byte: number): void {
    if (!this.#escaped) {
      if (byte === BYTE.ZDLE) {
        this.#escaped = true
        this.#cancels = 1
      } else if ((byte & 0x7f) !== BYTE.XON && (byte & 0x7f) !== BYTE.XOFF) this.#take(byte)
      return
    }
    if (byte === BYTE.ZDLE) {
      this.#cancelled()
      return
    }
    this.#cancels = 0
    this.#escaped = false
    if (this.#state === 'data' && byte >= SUBPACKET.END && byte <= SUBPACKET.WAIT) {
      this.#end = byte
      this.#check.length = 0
      this.#state = 'check'
    } else if (byte === 0x6c) this.#take(0x7f)
    else if (byte === 0x6d) this.#take(0xff)
    else if ((byte & 0x60) === 0x40) this.#take(byte ^ 0x40)
    else this.#fail()
  }

  #take(byte: number): void {
    if (this.#state === 'check') {
      this.#check.push(byte)
      if (this.#check.length === (this.#crc32 ? 4 : 2)) this.#subpacket()
      return
    }
    if (this.#length === MAX_SUBPACKET) {
      this.#fail()
      return
    }
    this.#buffer[this.#length++] = byte
    if (this.#state === 'binary' && this.#length === (this.#crc32 ? 9 : 7))
      this.#header(this.#buffer.slice(0, this.#length))
  }

  #header(content: Uint8Array): void {
    const check = checkOf(content.subarray(0, 5), this.#crc32)
    if (check.some((byte, n) => byte !== content[5 + n])) {
      this.#fail()
      return
    }
    const kind = content[0] as number
    const bytes = content.slice(1, 5)
    this.#length = 0
    this.#isOver = true
    this.#state = WITH_DATA.has(kind) ? 'data' : 'between'
    const [a = 0, b = 0, c = 0, d = 0] = bytes
    this.#events.header({ kind, bytes, position: (a | (b << 8) | (c << 16) | (d << 24)) >>> 0, crc32: this.#crc32 })
  }

  #subpacket(): void {
    const data = this.#buffer.subarray(0, this.#length)
    const check = checkOf(data, this.#crc32, this.#end)
    if (check.some((byte, n) => byte !== this.#check[n])) {
      this.#fail()
      return
    }
    this.#length = 0
    this.#isOver = true
    this.#state = this.#end === SUBPACKET.GO || this.#end === SUBPACKET.ASK ? 'data' : 'between'
    this.#events.data(data, this.#end)
  }

  #fail(): void {
    this.#state = 'between'
    this.#escaped = false
    this.#length = 0
    this.#events.damaged()
  }
}
