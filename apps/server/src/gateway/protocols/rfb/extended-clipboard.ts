import { constants, deflateSync, inflateSync } from 'node:zlib'
import { FROM_SERVER, MAX_CUT_BYTES } from './messages.ts'

/** Of what is copied, text alone goes through (`Extended Clipboard` of rfbproto.rst). */
const TEXT = 1 << 0
const ACTION = { caps: 1 << 24, request: 1 << 25, peek: 1 << 26, notify: 1 << 27, provide: 1 << 28 } as const
const ALL_ACTIONS = Object.values(ACTION).reduce((all, one) => all | one, 0)
/** A text in UTF-8 behind its length, with what ends it. */
const MAX_BYTES = MAX_CUT_BYTES * 4 + 5
interface Parts {
  write(bytes: Buffer): void
  /** The viewer's clipboard. */
  pasted(text: string): void
}

/**
 * A clipboard in which every script fits. Each side says that it has something new, and the other
 * asks for it.
 */
export class ExtendedClipboard {
  readonly #parts: Parts
  /** What the viewer is given when it asks. */
  #offered: Buffer | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const limits = Buffer.alloc(4)
    limits.writeUInt32BE(MAX_CUT_BYTES)
    parts.write(message(ALL_ACTIONS | TEXT, limits))
  }

  offer(text: string): void {
    const body = Buffer.from(`${text.replace(/\r\n?|\n/g, '\r\n')}\0`)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    this.#offered = message(ACTION.provide | TEXT, deflateSync(Buffer.concat([length, body])))
    this.#parts.write(message(ACTION.notify | TEXT))
  }

  /** What stands behind the length of a message. */
  receive(bytes: Buffer): void {
    if (bytes.length < 4) return
    const flags = bytes.readUInt32BE(0)
    const hasText = (flags & TEXT) !== 0
    if (flags & ACTION.caps) return
    if (flags & ACTION.provide) {
      const text = hasText ? textIn(bytes.subarray(4)) : undefined
      if (text !== undefined) this.#parts.pasted(text)
    } else if (flags & ACTION.notify) {
      if (hasText) this.#parts.write(message(ACTION.request | TEXT))
    } else if (flags & ACTION.request) {
      if (hasText && this.#offered) this.#parts.write(this.#offered)
    } else if (flags & ACTION.peek) this.#parts.write(message(ACTION.notify | (this.#offered ? TEXT : 0)))
  }
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

/** The length is negative, by which it is told from a plain text. */
function message(flags: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(12)
  head[0] = FROM_SERVER.cutText
  head.writeInt32BE(-(4 + body.length), 4)
  head.writeUInt32BE(flags >>> 0, 8)
  return Buffer.concat([head, body])
}
