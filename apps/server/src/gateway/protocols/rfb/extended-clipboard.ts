import { constants, deflateSync, inflateSync } from 'node:zlib'
import { MAX_CUT_BYTES } from './messages.ts'

/** Only text that is copied goes through (`Extended Clipboard` of rfbproto.rst). */
const TEXT = 1 << 0
const ACTION = { caps: 1 << 24, request: 1 << 25, peek: 1 << 26, notify: 1 << 27, provide: 1 << 28 } as const
const ALL_ACTIONS = Object.values(ACTION).reduce((all, one) => all | one, 0)
/** A text in UTF-8 behind its length, with what ends it. */
const MAX_BYTES = MAX_CUT_BYTES * 4 + 5
/** Between two texts that are fetched: a small message may swell to a long one. */
const REST_MS = 100

interface Parts {
  write(bytes: Buffer): void
  /** The other end's clipboard. */
  copied(text: string): void
  /** Something else is there; where it is a text that comes, `copied` says it. */
  replaced?(isExpected: boolean): void
  /** The other end has fetched what it was offered. */
  fetched?(): void
  /** The number of a message with a clipboard, as this end says it. */
  type: number
}

/**
 * A clipboard in which every script fits, at either end. Each says that it has something new, and the
 * other asks for it.
 */
export class ExtendedClipboard {
  readonly #parts: Parts
  /** Text that the other end gets when it asks; packed when it does so first. */
  #offered: { text: string; packed?: Buffer } | undefined
  /** Its text was asked for: one is taken. */
  #isAwaited = false
  #hasNews = false
  #resting: NodeJS.Timeout | undefined
  #isWhole = false

  constructor(parts: Parts) {
    this.#parts = parts
    // Nothing is taken that was not asked for.
    this.#write(ALL_ACTIONS | TEXT, Buffer.alloc(4))
  }

  /** The other end has a clipboard itself. QEMU's has not, and says less: its guest may know of none. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  offer(text: string): void {
    this.#offered = { text }
    this.#write(ACTION.notify | TEXT)
  }

  /** The offered text is not given out any more. */
  withdraw(): void {
    if (!this.#offered) return
    this.#offered = undefined
    this.#write(ACTION.notify)
  }

  close(): void {
    clearTimeout(this.#resting)
  }

  /** Bytes behind the length of a message. */
  receive(bytes: Buffer): void {
    if (bytes.length < 4) return
    const flags = bytes.readUInt32BE(0)
    const hasText = (flags & TEXT) !== 0
    if (flags & ACTION.caps) {
      this.#isWhole = (flags & ACTION.peek) !== 0
      return
    }
    if (flags & ACTION.provide) {
      const isAwaited = this.#isAwaited
      this.#isAwaited = false
      if (!isAwaited) return
      const text = hasText ? textIn(bytes.subarray(4)) : undefined
      if (text === undefined) this.#parts.replaced?.(false)
      else this.#parts.copied(text)
    } else if (flags & ACTION.notify) {
      this.#parts.replaced?.(hasText)
      if (hasText) this.#ask()
    } else if (flags & ACTION.request) {
      if (hasText) this.#provide()
    } else if (flags & ACTION.peek) this.#write(ACTION.notify | (this.#offered ? TEXT : 0))
  }

  #provide(): void {
    if (!this.#offered) return
    this.#offered.packed ??= packed(this.#offered.text)
    this.#write(ACTION.provide | TEXT, this.#offered.packed)
    this.#parts.fetched?.()
  }

  /** The length is negative, which a plain text's never is. */
  #write(flags: number, body: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(12)
    head[0] = this.#parts.type
    head.writeInt32BE(-(4 + body.length), 4)
    head.writeUInt32BE(flags >>> 0, 8)
    this.#parts.write(Buffer.concat([head, body]))
  }

  /** Fetches what the other end has, at once or after the rest. */
  #ask(): void {
    this.#hasNews = this.#resting !== undefined
    if (this.#hasNews) return
    this.#isAwaited = true
    this.#write(ACTION.request | TEXT)
    this.#resting = setTimeout(() => {
      this.#resting = undefined
      if (this.#hasNews) this.#ask()
    }, REST_MS)
  }
}

function packed(text: string): Buffer {
  const body = Buffer.from(`${text.replace(/\r\n?|\n/g, '\r\n')}\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return deflateSync(Buffer.concat([length, body]))
}

/** The text comes first where there are several formats; undefined where there is none. */
function textIn(deflated: Buffer): string | undefined {
  let bytes: Buffer
  try {
    // Viewers do not end what they deflate.
    bytes = inflateSync(deflated, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
  if (bytes.length < 4 || bytes.readUInt32BE(0) > bytes.length - 4) return undefined
  const [text = ''] = bytes.toString('utf8', 4, 4 + bytes.readUInt32BE(0)).split('\0', 1)
  return text.length > MAX_CUT_BYTES ? undefined : text.replace(/\r\n?/g, '\n')
}
