/** The receiving side of ZMODEM: what answers `sz`. */
import { PacketParser } from '@sallyport/contract/zmodem/parser.ts'
import {
  ABORT_SEQUENCE,
  CAN,
  type FileFacts,
  FRAME,
  type FrameHeader,
  hexHeader,
  positionBytes,
  readFileFacts,
  SUBPACKET,
} from '@sallyport/contract/zmodem/wire.ts'

/** Handed on in pieces of this size. */
const PIECE_BYTES = 256 * 1024
/** `sz` waits a minute for an answer to its offer; meanwhile it gets a sign that somebody is there. */
const STILL_THERE_MS = 15_000
/** Positions are 32 bits long. */
const MAX_FILE_BYTES = 0xffff_ffff
const MAX_DAMAGE = 20
const ABILITIES = Uint8Array.of(0, 0, 0, CAN.FULL_DUPLEX | CAN.OVERLAP | CAN.CRC32)

/** Where a file goes. */
export interface Sink {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void
  /** Everything is there. */
  close: () => Promise<void> | void
  /** The rest will not come. */
  abort: () => void
}

export interface ReceiveEvents {
  send: (bytes: Uint8Array) => void
  /** Returns where the file goes; undefined to skip it. */
  offered: (file: FileFacts) => Promise<Sink | undefined>
  /** Bytes of the file that have been handed on. */
  progress: (bytes: number) => void
  /** In no packet: words of the program. */
  stray: (bytes: Uint8Array) => void
  /** Once: the sender has said goodbye (`true`), or something has ended the transfer. */
  over: (orderly: boolean) => void
}

/** One run of `sz`, with as many files as it sends. */
export class Receiver {
  readonly #events: ReceiveEvents
  readonly #parser: PacketParser
  #isFileNext = false
  #state: 'waiting' | 'asking' | 'receiving' | 'over' = 'waiting'
  #sink: Sink | undefined
  /** Bytes of the file that have come. */
  #received = 0
  /** Data that comes is where it belongs. */
  #inPlace = false
  #pieces: Uint8Array[] = []
  #pieceBytes = 0
  #writing: Promise<void> = Promise.resolve()
  #damage = 0
  #stillThere: ReturnType<typeof setInterval> | undefined

  constructor(events: ReceiveEvents) {
    this.#events = events
    this.#parser = new PacketParser({
      header: (header) => this.#header(header),
      data: (bytes, end) => this.#data(bytes, end),
      damaged: () => this.#damaged(),
      cancelled: () => this.#end(false),
      stray: events.stray,
    })
  }

  /** Settles when what came before has been handed on. */
  push(bytes: Uint8Array): Promise<void> {
    if (this.#state !== 'over') this.#parser.push(bytes)
    return this.#writing
  }

  /** Gives up without a word: there is nobody to tell. */
  drop(): void {
    this.#end(false)
  }

  /** Gives up, and tells the other side. */
  cancel(): void {
    if (this.#state === 'over') return
    this.#events.send(ABORT_SEQUENCE)
    this.#end(false)
  }

  #header({ kind, position }: FrameHeader): void {
    this.#isFileNext = kind === FRAME.ZFILE
    switch (kind) {
      case FRAME.ZRQINIT:
        this.#ready()
        break
      case FRAME.ZDATA:
        this.#inPlace = this.#state === 'receiving' && position === this.#received
        if (this.#state === 'receiving' && !this.#inPlace) this.#from(this.#received)
        break
      case FRAME.ZEOF:
        if (this.#state === 'receiving' && position === this.#received) void this.#whole()
        break
      case FRAME.ZFIN:
        this.#events.send(hexHeader(FRAME.ZFIN))
        this.#end(this.#state === 'waiting')
        break
      case FRAME.ZABORT:
      case FRAME.ZFERR:
      case FRAME.ZCOMMAND:
        this.cancel()
        break
    }
  }

  #ready(): void {
    this.#events.send(hexHeader(FRAME.ZRINIT, ABILITIES))
  }

  #from(position: number): void {
    this.#events.send(hexHeader(FRAME.ZRPOS, positionBytes(position)))
  }

  #data(bytes: Uint8Array, end: number): void {
    if (this.#state === 'over') return
    if (this.#isFileNext) {
      this.#isFileNext = false
      this.#offer(readFileFacts(bytes))
      return
    }
    if (this.#state !== 'receiving') {
      // The sender's attention sequence, which nobody here sends.
      if (end === SUBPACKET.WAIT) this.#events.send(hexHeader(FRAME.ZACK))
      return
    }
    if (!this.#inPlace) return
    this.#pieces.push(bytes.slice())
    this.#pieceBytes += bytes.length
    this.#received += bytes.length
    if (this.#received > MAX_FILE_BYTES) {
      this.cancel()
      return
    }
    if (this.#pieceBytes >= PIECE_BYTES) this.#flush()
    if (end === SUBPACKET.ASK || end === SUBPACKET.WAIT)
      this.#events.send(hexHeader(FRAME.ZACK, positionBytes(this.#received)))
  }

  #offer(file: FileFacts): void {
    if (this.#state === 'asking') return
    if (this.#state === 'receiving') {
      this.#from(this.#received)
      return
    }
    this.#state = 'asking'
    this.#received = 0
    this.#stillThere = setInterval(() => this.#ready(), STILL_THERE_MS)
    const answered = (sink: Sink | undefined) => {
      clearInterval(this.#stillThere)
      if (this.#state !== 'asking') return sink?.abort()
      this.#sink = sink
      this.#state = sink ? 'receiving' : 'waiting'
      if (sink) this.#from(0)
      else this.#events.send(hexHeader(FRAME.ZSKIP))
    }
    this.#events.offered(file).then(answered, () => answered(undefined))
  }

  #flush(): void {
    const piece = new Uint8Array(this.#pieceBytes)
    let at = 0
    for (const one of this.#pieces) {
      piece.set(one, at)
      at += one.length
    }
    this.#pieces = []
    this.#pieceBytes = 0
    const sink = this.#sink
    const total = this.#received
    this.#writing = this.#writing.then(async () => {
      if (this.#state === 'over') return
      try {
        await sink?.write(piece)
        this.#events.progress(total)
      } catch {
        // A full disk, a file that was taken away.
        this.cancel()
      }
    })
  }

  async #whole(): Promise<void> {
    this.#inPlace = false
    this.#flush()
    await this.#writing
    if (this.#state !== 'receiving') return
    try {
      await this.#sink?.close()
    } catch {
      return this.cancel()
    }
    this.#sink = undefined
    this.#state = 'waiting'
    this.#ready()
  }

  #damaged(): void {
    if (++this.#damage > MAX_DAMAGE) this.cancel()
    else if (this.#state === 'receiving') {
      this.#inPlace = false
      this.#from(this.#received)
    }
  }

  #end(orderly: boolean): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    clearInterval(this.#stillThere)
    this.#parser.stop()
    this.#sink?.abort()
    this.#sink = undefined
    this.#pieces = []
    this.#events.over(orderly)
  }
}
