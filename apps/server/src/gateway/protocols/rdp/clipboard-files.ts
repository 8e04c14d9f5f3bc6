/** Files by the clipboard (MS-RDPECLIP 2.2.5.2.3, 2.2.5.3): which were copied, and bytes of one as they are asked for. */

import { inTime } from '../../../kernel/in-time.ts'
import type { CopiedFile, CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import { pathOf } from '../../kinds/desktop/files/names.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { Cursor, u32 } from './cursor.ts'

/** Name of the format that lists them. */
export const FILES_FORMAT = 'FileGroupDescriptorW'
/** Limit of the files of one copy that are offered. */
export const MAX_COPIED = 1000
/** Longest piece that is asked for. */
export const MAX_PIECE = 256 * 1024
const DESCRIPTOR_BYTES = 592
const NAME_BYTES = 520
const [HAS_ATTRIBUTES, HAS_SIZE] = [0x4, 0x40]
const FOLDER = 0x10
const [SIZE, RANGE] = [1, 2]
const SIZE_BYTES = 8
/** A machine that takes longer for a piece does not give it. */
const ANSWER_MS = 30_000

/**
 * The copied files. Those whose name no file can have are passed over, and so are those that are
 * too large to count.
 */
export function readDescriptors(read: Cursor): CopiedFile[] {
  const count = Math.min(read.u32(), Math.floor(read.left / DESCRIPTOR_BYTES), MAX_COPIED)
  return Array.from({ length: count }, (_, index) =>
    readDescriptor(new Cursor(read.take(DESCRIPTOR_BYTES)), index),
  ).filter(({ path, size = 0 }) => path !== '' && Number.isSafeInteger(size))
}

function readDescriptor(read: Cursor, index: number): CopiedFile {
  const flags = read.u32()
  read.skip(32)
  const attributes = read.u32()
  read.skip(16 + 8)
  const [high, low] = [read.u32(), read.u32()]
  const name = read.take(NAME_BYTES).toString('utf16le').split('\0', 1)[0] ?? ''
  return {
    index,
    path: pathOf(name) ?? '',
    isFolder: (flags & HAS_ATTRIBUTES) !== 0 && (attributes & FOLDER) !== 0,
    size: flags & HAS_SIZE ? high * 2 ** 32 + low : undefined,
  }
}

interface Question {
  stream: number
  most: number
  answer: PromiseWithResolvers<Buffer>
}

/** Asks for bytes of what was copied, one piece at a time. */
export class FileQuestions {
  /** Sends the body of a question. */
  readonly #ask: (body: Buffer) => void
  #copied: object | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #open: Question | undefined
  #nextStream = 1

  constructor(ask: (body: Buffer) => void) {
    this.#ask = ask
  }

  /** Those were copied; what was before is not to be had any more. */
  copied(files: readonly CopiedFile[]): CopiedFiles {
    this.gone()
    const mine = {}
    this.#copied = mine
    return {
      files,
      size: async ({ index }) => {
        const bytes = await this.#inTurn(mine, { index, how: SIZE, offset: 0, length: SIZE_BYTES })
        return new Cursor(bytes).u64()
      },
      read: ({ index }, offset, length) =>
        this.#inTurn(mine, { index, how: RANGE, offset, length: Math.min(length, MAX_PIECE) }),
    }
  }

  /** Something else was copied, or nothing is asked any more. */
  gone(): void {
    this.#copied = undefined
    this.#open?.answer.reject(new NotGiven())
    this.#open = undefined
  }

  /** Takes an answer. Throws ProtocolViolation. */
  answered(isGiven: boolean, read: Cursor): void {
    const stream = read.left ? read.u32() : 0
    const open = this.#open
    // One that was given up is answered in vain.
    if (!open || open.stream !== stream) return
    this.#open = undefined
    const isTooMuch = read.left > open.most
    if (isGiven && !isTooMuch) open.answer.resolve(Buffer.from(read.rest()))
    else open.answer.reject(new NotGiven())
    if (isTooMuch) throw new ProtocolViolation('more of a file than was asked for')
  }

  #inTurn(copied: object, question: Asked): Promise<Buffer> {
    const turn = this.#turn.then(() => this.#one(copied, question))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #one(copied: object, { index, how, offset, length }: Asked): Promise<Buffer> {
    if (this.#copied !== copied) throw new NotGiven()
    const open = { stream: this.#nextStream++, most: length, answer: Promise.withResolvers<Buffer>() }
    this.#open = open
    this.#ask(u32(open.stream, index, how, offset % 2 ** 32, Math.floor(offset / 2 ** 32), length))
    try {
      return await inTime(open.answer.promise, ANSWER_MS, () => new NotGiven())
    } finally {
      if (this.#open === open) this.#open = undefined
    }
  }
}

interface Asked {
  index: number
  how: number
  offset: number
  length: number
}

/** The machine does not give it, or not any more. */
export class NotGiven extends Error {
  constructor() {
    super('the machine does not give a file that was copied there')
  }
}
