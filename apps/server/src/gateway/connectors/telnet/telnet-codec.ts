import type { TerminalSize } from '../../kinds/terminal/streams.ts'

/** Commands (RFC 854). */
const IAC = 255
/** Commands are from here on; what is less is data. */
const FIRST_COMMAND = 236
const DONT = 254
const DO = 253
const WONT = 252
const WILL = 251
const SB = 250
const SE = 240
/** Interrupt process. */
const IP = 244
/** Data mark: what came before it may have been thrown away (RFC 854, Synch). */
const DM = 242
/** Keys that have a terminal throw its output away: interrupt, suspend, quit. */
const FLUSHES: ReadonlySet<number> = new Set([0x03, 0x1a, 0x1c])
/** Limit of such keys in a row: one that was never followed by a mark must not cost text later. */
const MARKS_MAX = 4
/** Options: RFC 856, 857, 858, 1091, 1073. */
const BINARY = 0
const ECHO = 1
const SUPPRESS_GO_AHEAD = 3
const TERMINAL_TYPE = 24
const WINDOW_SIZE = 31
const IS = 0
const SEND = 1

const CARRIAGE_RETURN = 13
/**
 * Options that we agree to when the machine asks, and those that it may use. NEW-ENVIRON is missing
 * on purpose: it would set variables of the machine's login program.
 */
const OURS: ReadonlySet<number> = new Set([BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE])
const THEIRS: ReadonlySet<number> = new Set([BINARY, ECHO, SUPPRESS_GO_AHEAD])
/** A longer subnegotiation is none that we know; the rest of it is skipped. */
const SUBNEGOTIATION_MAX = 4096

export interface TelnetCodecOptions {
  /** As in the variable TERM. */
  terminalType: string
  size: TerminalSize
  /** Sends answers of the negotiation to the machine. */
  send(bytes: Buffer): void
}

type State = 'data' | 'return' | 'command' | 'option' | 'subnegotiation' | 'subnegotiation command'

/**
 * The client's side of Telnet (RFC 854): removes commands from what is received, answers them, and
 * escapes what is sent, however the stream is cut.
 */
export class TelnetCodec {
  readonly #options: TelnetCodecOptions
  #size: TerminalSize
  #state: State = 'data'
  #command = 0
  #subnegotiation: number[] = []
  #isRaw = false
  /** How many data marks may come whose IAC does not. */
  #marks = 0
  /**
   * Options that are on, on our side and on theirs. Those that are on already are not answered
   * again, or both sides would answer each other for ever.
   */
  readonly #ours = new Set<number>()
  readonly #theirs = new Set<number>()

  constructor(options: TelnetCodecOptions) {
    this.#options = options
    this.#size = options.size
  }

  /**
   * The output of the machine's program in the bytes received.
   * A machine that was interrupted sends IAC DM as urgent data, of which the operating system keeps
   * a byte for itself. With telnetd that is the IAC: DM comes alone, at the beginning of a packet,
   * since what is read never goes over the urgent byte. With others it is DM: an IAC without its
   * command arrives at the end of a packet, and what follows is data, or the next command.
   */
  receive(bytes: Buffer): Buffer {
    const data = Buffer.allocUnsafe(bytes.length)
    let length = 0
    if (!this.#isRaw && this.#state === 'command' && bytes[0] === IAC) this.#state = 'data'
    for (const byte of this.#isMark(bytes) ? bytes.subarray(1) : bytes) {
      if (this.#isData(byte)) data[length++] = byte
    }
    return data.subarray(0, length)
  }

  /** Input as it is sent. */
  encode(bytes: Buffer): Buffer {
    const isBinary = this.#ours.has(BINARY)
    if (!this.#isRaw) for (const byte of bytes) if (FLUSHES.has(byte)) this.#expectMark()
    if (!bytes.includes(IAC) && (isBinary || !bytes.includes(CARRIAGE_RETURN))) return bytes
    const encoded = Buffer.allocUnsafe(bytes.length * 2)
    let length = 0
    for (const byte of bytes) {
      encoded[length++] = byte
      if (byte === IAC) encoded[length++] = IAC
      else if (byte === CARRIAGE_RETURN && !isBinary) encoded[length++] = 0
    }
    return encoded.subarray(0, length)
  }

  resize(size: TerminalSize): void {
    this.#size = size
    if (this.#ours.has(WINDOW_SIZE)) this.#sendSize()
  }

  /** Whether every byte counts, as in a file transfer; in text no 255 is between two packets. */
  setRaw(isRaw: boolean): void {
    this.#isRaw = isRaw
  }

  interrupt(): void {
    this.#expectMark()
    this.#options.send(Buffer.from([IAC, IP]))
  }

  #expectMark(): void {
    this.#marks = Math.min(this.#marks + 1, MARKS_MAX)
  }

  #isMark([first]: Buffer): boolean {
    if (first !== DM || this.#isRaw || this.#state !== 'data' || !this.#marks) return false
    this.#marks--
    return true
  }

  #isData(byte: number): boolean {
    switch (this.#state) {
      case 'return':
        this.#state = 'data'
        // A carriage return by itself is followed by NUL.
        if (byte === 0) return false
        return this.#isData(byte)
      case 'data':
        if (byte === IAC) this.#state = 'command'
        else if (byte === CARRIAGE_RETURN && !this.#theirs.has(BINARY)) this.#state = 'return'
        return byte !== IAC
      case 'command':
        return this.#onCommand(byte)
      case 'option':
        this.#state = 'data'
        this.#negotiate(this.#command, byte)
        return false
      case 'subnegotiation':
        if (byte === IAC) this.#state = 'subnegotiation command'
        else this.#keep(byte)
        return false
      case 'subnegotiation command':
        this.#state = byte === SE ? 'data' : 'subnegotiation'
        if (byte === SE) this.#onSubnegotiation()
        else if (byte === IAC) this.#keep(byte)
        return false
      default:
        return this.#state satisfies never
    }
  }

  /** Answers whether it is data, such as the byte 255, which is sent twice. */
  #onCommand(byte: number): boolean {
    if (byte < FIRST_COMMAND) {
      this.#state = 'data'
      return this.#isData(byte)
    }
    this.#command = byte
    // The first of two at once comes whole: the system keeps a byte of the newest alone.
    if (byte === DM) this.#marks = Math.max(0, this.#marks - 1)
    this.#state = byte >= WILL && byte <= DONT ? 'option' : byte === SB ? 'subnegotiation' : 'data'
    this.#subnegotiation = []
    return byte === IAC
  }

  #keep(byte: number): void {
    if (this.#subnegotiation.length < SUBNEGOTIATION_MAX) this.#subnegotiation.push(byte)
  }

  #negotiate(command: number, option: number): void {
    const isAboutUs = command === DO || command === DONT
    const on = isAboutUs ? this.#ours : this.#theirs
    const wants = command === DO || command === WILL
    if (wants === on.has(option)) return
    const agrees = wants && (isAboutUs ? OURS : THEIRS).has(option)
    if (agrees) on.add(option)
    else on.delete(option)
    const yes = isAboutUs ? WILL : DO
    const no = isAboutUs ? WONT : DONT
    this.#options.send(Buffer.from([IAC, agrees ? yes : no, option]))
    if (agrees && isAboutUs && option === WINDOW_SIZE) this.#sendSize()
  }

  #onSubnegotiation(): void {
    const [option, verb] = this.#subnegotiation
    if (option !== TERMINAL_TYPE || verb !== SEND || !this.#ours.has(TERMINAL_TYPE)) return
    const name = /^[\w.+-]{1,40}$/.test(this.#options.terminalType) ? this.#options.terminalType : 'xterm'
    this.#options.send(
      Buffer.concat([Buffer.from([IAC, SB, TERMINAL_TYPE, IS]), Buffer.from(name), Buffer.from([IAC, SE])]),
    )
  }

  #sendSize(): void {
    const { cols, rows } = this.#size
    const value = [cols >> 8, cols & 255, rows >> 8, rows & 255].flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte]))
    this.#options.send(Buffer.from([IAC, SB, WINDOW_SIZE, ...value, IAC, SE]))
  }
}
