/** Files that the other end may take by the clipboard (MS-RDPECLIP 2.2.5.2.3, 2.2.5.3): their list, and bytes as they are asked for. */
import type { CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import { MAX_PIECE } from './clipboard-files.ts'
import { type Cursor, fixedText, u32, u64 } from './cursor.ts'

const HAS_ATTRIBUTES = 0x4
const HAS_SIZE = 0x40
const SHOWS_PROGRESS = 0x4000
const PLAIN_FILE = 0x80
const NAME_BYTES = 520
const [SIZE, RANGE] = [1, 2]
/** With more questions open, others are refused. */
const MAX_OPEN = 16

export interface ClipboardOfferParts {
  /** Answers a question; what is not given is said as well. */
  answer(isGiven: boolean, body: Buffer): void
  /** Settles when the other end has taken enough of what it was sent. */
  room(): Promise<void> | undefined
}

/** Gives out what lies on this end's clipboard as files, one question after the other. */
export class ClipboardOffer {
  readonly #parts: ClipboardOfferParts
  #files: CopiedFiles | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #open = 0

  constructor(parts: ClipboardOfferParts) {
    this.#parts = parts
  }

  get isThere(): boolean {
    return this.#files !== undefined
  }

  /** Those instead of what was there; of what was asked of others nothing more is given. */
  put(files: CopiedFiles | undefined): void {
    this.#files = files
  }

  /** The list, as a format of the clipboard. */
  descriptors(): Buffer {
    const files = this.#files?.files ?? []
    return Buffer.concat([u32(files.length), ...files.map(descriptor)])
  }

  /** Takes a question. Throws ProtocolViolation. */
  asked(read: Cursor): void {
    const [stream, index, how] = [read.u32(), read.u32(), read.u32()]
    const [offset, length] = [read.u64(), read.u32()]
    const from = this.#files
    if (!from || this.#open >= MAX_OPEN) {
      this.#parts.answer(false, u32(stream))
      return
    }
    this.#open++
    this.#turn = this.#turn
      .then(() => this.#give(from, stream, { index, how, offset, length }))
      .catch(() => {})
      .finally(() => this.#open--)
  }

  async #give(from: CopiedFiles, stream: number, asked: Asked): Promise<void> {
    const bytes = await this.#bytes(from, asked).catch(() => undefined)
    await this.#parts.room()
    // Meanwhile something else may be there.
    const given = this.#files === from ? bytes : undefined
    this.#parts.answer(given !== undefined, Buffer.concat([u32(stream), given ?? Buffer.alloc(0)]))
  }

  /** Undefined for what is no question. */
  async #bytes(from: CopiedFiles, { index, how, offset, length }: Asked): Promise<Buffer | undefined> {
    const file = this.#files === from ? from.files[index] : undefined
    if (!file) return undefined
    if (how === SIZE) return u64(await from.size(file))
    return how === RANGE ? from.read(file, offset, Math.min(length, MAX_PIECE)) : undefined
  }
}

interface Asked {
  index: number
  how: number
  offset: number
  length: number
}

function descriptor({ path, size = 0 }: CopiedFiles['files'][number]): Buffer {
  return Buffer.concat([
    u32(HAS_ATTRIBUTES | HAS_SIZE | SHOWS_PROGRESS),
    Buffer.alloc(32),
    u32(PLAIN_FILE),
    Buffer.alloc(16 + 8),
    u32(Math.floor(size / 2 ** 32), size % 2 ** 32),
    fixedText(path, NAME_BYTES),
  ])
}
