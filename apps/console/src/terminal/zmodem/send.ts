/** The sending side of ZMODEM: what answers `rz`. */
import { PacketParser } from '@sallyport/contract/zmodem/parser.ts'
import {
  ABORT_SEQUENCE,
  binaryHeader,
  CAN,
  type Encoding,
  FRAME,
  type FrameHeader,
  fileFacts,
  hexHeader,
  OVER_AND_OUT,
  positionBytes,
  SUBPACKET,
  subpacket,
} from '@sallyport/contract/zmodem/wire.ts'

/** The longest that every receiver takes. */
const SUBPACKET_BYTES = 1024
/** Read and sent at once; after each the receiver is asked how far it is. */
const BATCH_BYTES = 64 * 1024
/**
 * Sent and not yet acknowledged by the machine: all that waits in the browser, on the way and in
 * the gateway.
 */
const WINDOW_BYTES = 1024 * 1024
/**
 * `rz` gives up after less than a minute without files; a question for its free space keeps it
 * waiting.
 */
const STILL_THERE_MS = 5000
/** FRAME.ZFREECNT of the specification: how much space is there? */
const ZFREECNT = 17
const MAX_FILE_BYTES = 0xffff_ffff
const MAX_DAMAGE = 20

export interface SendEvents {
  send: (bytes: Uint8Array) => void
  /** The next file begins. */
  began: (file: File) => void
  /** Bytes that the machine has acknowledged. */
  progress: (bytes: number) => void
  /** The machine has the file, or did not want it. */
  done: (file: File, taken: boolean) => void
  /** In no packet: words of the program. */
  stray: (bytes: Uint8Array) => void
  /** Once: goodbye was said (`true`), or something has ended the transfer. */
  over: (orderly: boolean) => void
}

/** One run of `rz`. */
export class Sender {
  readonly #events: SendEvents
  readonly #parser: PacketParser
  #state: 'waiting' | 'offered' | 'sending' | 'all-sent' | 'leaving' | 'over' = 'waiting'
  #files: File[] | undefined
  /** The abilities of the machine are known. */
  #isReady = false
  #encoding: Encoding = { crc32: false, escapeAll: false }
  /** Bytes that the receiver takes before it must be asked; 0: it takes everything as it comes. */
  #buffer = 0
  #position = 0
  #acknowledged = 0
  /** Another position was asked for: what is being read is for nobody. */
  #run = 0
  #isReading = false
  #damage = 0
  readonly #stillThere: ReturnType<typeof setInterval>

  constructor(events: SendEvents) {
    this.#events = events
    this.#parser = new PacketParser({
      header: (header) => this.#header(header),
      data: () => {},
      damaged: () => {
        if (++this.#damage > MAX_DAMAGE) this.cancel()
      },
      cancelled: () => this.#end(false),
      stray: events.stray,
    })
    this.#stillThere = setInterval(() => events.send(hexHeader(ZFREECNT)), STILL_THERE_MS)
  }

  push(bytes: Uint8Array): void {
    if (this.#state !== 'over') this.#parser.push(bytes)
  }

  /** The files to send; once. */
  start(files: readonly File[]): void {
    if (this.#state !== 'waiting' || this.#files) return
    clearInterval(this.#stillThere)
    this.#files = files.filter(({ size }) => size <= MAX_FILE_BYTES)
    if (this.#isReady) this.#next()
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

  #next(): void {
    const file = this.#files?.[0]
    if (!file) {
      this.#state = 'leaving'
      this.#events.send(hexHeader(FRAME.ZFIN))
      return
    }
    this.#state = 'offered'
    this.#events.began(file)
    this.#offer(file)
  }

  #offer(file: File): void {
    const facts = fileFacts({
      name: file.name,
      size: file.size,
      modified: file.lastModified / 1000,
      left: (this.#files?.length ?? 1) - 1,
    })
    this.#events.send(binaryHeader(FRAME.ZFILE, new Uint8Array(4), this.#encoding))
    this.#events.send(subpacket(facts, SUBPACKET.WAIT, this.#encoding))
  }

  #header({ kind, bytes, position }: FrameHeader): void {
    const state = this.#state
    switch (kind) {
      case FRAME.ZRINIT: {
        const [low = 0, high = 0, , abilities = 0] = bytes
        this.#encoding = { crc32: (abilities & CAN.CRC32) !== 0, escapeAll: (abilities & CAN.ESCAPE_CONTROLS) !== 0 }
        this.#buffer = low + high * 256
        if (!(abilities & CAN.FULL_DUPLEX) && !this.#buffer) this.#buffer = SUBPACKET_BYTES
        if (state === 'all-sent') this.#fileDone(true)
        else if (!this.#isReady) {
          this.#isReady = true
          if (this.#files) this.#next()
        }
        break
      }
      case FRAME.ZRPOS:
        if (state === 'offered' || state === 'sending' || state === 'all-sent') this.#sendFrom(position)
        break
      case FRAME.ZACK:
        if (state !== 'sending' || position < this.#acknowledged || position > this.#position) break
        this.#acknowledged = position
        this.#events.progress(position)
        if (this.#buffer) this.#events.send(binaryHeader(FRAME.ZDATA, positionBytes(this.#position), this.#encoding))
        void this.#pump()
        break
      case FRAME.ZSKIP:
        if (state === 'offered' || state === 'sending' || state === 'all-sent') this.#fileDone(false)
        break
      case FRAME.ZNAK:
        if (state === 'offered' && this.#files?.[0]) this.#offer(this.#files[0])
        break
      case FRAME.ZFIN:
        if (state === 'leaving') {
          this.#events.send(OVER_AND_OUT)
          this.#end(true)
        } else this.#end(false)
        break
      case FRAME.ZABORT:
      case FRAME.ZFERR:
        this.cancel()
        break
    }
  }

  #fileDone(taken: boolean): void {
    this.#run++
    const file = this.#files?.shift()
    if (file) this.#events.done(file, taken)
    this.#next()
  }

  #sendFrom(position: number): void {
    const file = this.#files?.[0]
    if (!file || position > file.size) {
      this.cancel()
      return
    }
    this.#run++
    this.#isReading = false
    this.#state = 'sending'
    this.#position = position
    this.#acknowledged = position
    this.#events.send(binaryHeader(FRAME.ZDATA, positionBytes(position), this.#encoding))
    void this.#pump()
  }

  /** Sends as long as the machine keeps up. */
  async #pump(): Promise<void> {
    const file = this.#files?.[0]
    if (!file || this.#isReading) return
    const run = this.#run
    this.#isReading = true
    const window = this.#buffer ? 1 : WINDOW_BYTES
    while (this.#state === 'sending' && this.#position - this.#acknowledged < window) {
      const end = this.#position + Math.min(BATCH_BYTES, this.#buffer || BATCH_BYTES)
      let batch: Uint8Array
      try {
        batch = new Uint8Array(await file.slice(this.#position, end).arrayBuffer())
      } catch {
        // Changed or gone since it was chosen.
        if (run === this.#run) this.cancel()
        return
      }
      if (run !== this.#run || this.#state !== 'sending') return
      this.#sendBatch(batch, this.#position + batch.length >= file.size)
    }
    this.#isReading = false
  }

  #sendBatch(batch: Uint8Array, isLast: boolean): void {
    const asks = this.#buffer ? SUBPACKET.WAIT : SUBPACKET.ASK
    const packets: Uint8Array[] = []
    for (let at = 0; at < batch.length || at === 0; at += SUBPACKET_BYTES) {
      const ends = at + SUBPACKET_BYTES >= batch.length
      const end = !ends ? SUBPACKET.GO : isLast ? SUBPACKET.END : asks
      packets.push(subpacket(batch.subarray(at, at + SUBPACKET_BYTES), end, this.#encoding))
    }
    this.#position += batch.length
    this.#events.send(joined(packets))
    if (!isLast) return
    this.#state = 'all-sent'
    this.#events.send(binaryHeader(FRAME.ZEOF, positionBytes(this.#position), this.#encoding))
  }

  #end(orderly: boolean): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#run++
    clearInterval(this.#stillThere)
    this.#parser.stop()
    this.#events.over(orderly)
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
