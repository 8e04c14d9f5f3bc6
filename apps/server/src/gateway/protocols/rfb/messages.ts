/** Numbers of the protocol (RFC 6143, and rfbproto.rst for what came later). */

export const ENCODING = {
  raw: 0,
  copyRect: 1,
  hextile: 5,
  tight: 7,
  zrle: 16,
  desktopSize: -223,
  lastRect: -224,
  desktopName: -307,
  extendedDesktopSize: -308,
  extendedClipboard: -1063131698,
} as const

export const FROM_SERVER = { update: 0, colors: 1, bell: 2, cutText: 3 } as const

export const FROM_CLIENT = {
  pixelFormat: 0,
  encodings: 2,
  updateRequest: 3,
  key: 4,
  pointer: 5,
  cutText: 6,
  desktopSize: 251,
} as const

/** Four bytes a pixel: red, green, blue, and one that means nothing. */
export const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0])

/** Longest text that the clipboard takes over, either way. */
export const MAX_CUT_BYTES = 1024 * 1024

/** One screen, as large as the framebuffer. */
export interface ScreenLayout {
  id: number
  flags: number
}

/** Requests of a client at the start. */
export function clientStart(encodings: readonly number[]): Buffer {
  const format = Buffer.concat([Buffer.from([FROM_CLIENT.pixelFormat, 0, 0, 0]), PIXEL_FORMAT])
  const list = Buffer.alloc(4 + encodings.length * 4)
  list[0] = FROM_CLIENT.encodings
  list.writeUInt16BE(encodings.length, 2)
  for (const [n, encoding] of encodings.entries()) list.writeInt32BE(encoding, 4 + n * 4)
  return Buffer.concat([format, list])
}

export function updateRequest(size: { width: number; height: number }, isIncremental: boolean): Buffer {
  const bytes = Buffer.alloc(10)
  bytes[0] = FROM_CLIENT.updateRequest
  bytes[1] = isIncremental ? 1 : 0
  bytes.writeUInt16BE(size.width, 6)
  bytes.writeUInt16BE(size.height, 8)
  return bytes
}

export function keyEvent(isDown: boolean, keysym: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes[0] = FROM_CLIENT.key
  bytes[1] = isDown ? 1 : 0
  bytes.writeUInt32BE(keysym, 4)
  return bytes
}

export function pointerEvent(buttons: number, x: number, y: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes[0] = FROM_CLIENT.pointer
  bytes[1] = buttons
  bytes.writeUInt16BE(x, 2)
  bytes.writeUInt16BE(y, 4)
  return bytes
}

/** A clipboard's text; what Latin-1 does not have becomes a question mark (RFC 6143 §7.5.6). */
export function cutText(text: string, type: number = FROM_CLIENT.cutText): Buffer {
  const body = Buffer.from(text.replace(/\r\n?/g, '\n').replace(/[^\n\t\x20-\x7e\xa0-\xff]/gu, '?'), 'latin1')
  const head = Buffer.alloc(8)
  head[0] = type
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

export function setDesktopSize(width: number, height: number, { id, flags }: ScreenLayout): Buffer {
  const bytes = Buffer.alloc(24)
  bytes[0] = FROM_CLIENT.desktopSize
  bytes.writeUInt16BE(width, 2)
  bytes.writeUInt16BE(height, 4)
  bytes[6] = 1
  writeScreen(bytes, 8, width, height, { id, flags })
  return bytes
}

function writeScreen(bytes: Buffer, at: number, width: number, height: number, { id, flags }: ScreenLayout): void {
  bytes.writeUInt32BE(id, at)
  bytes.writeUInt16BE(width, at + 8)
  bytes.writeUInt16BE(height, at + 10)
  bytes.writeUInt32BE(flags, at + 12)
}

/** An update of so many rectangles, which follow. */
export function updateHead(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes[0] = FROM_SERVER.update
  bytes.writeUInt16BE(count, 2)
  return bytes
}

/** Outcome of a size that this client has asked for. */
export type ResizeAnswer = 'done' | 'refused'

/**
 * The screen's new size, as an update; `canResize` tells the client that it may ask for another,
 * which it does once more only when the last was answered.
 */
export function sizeUpdate(
  { width, height }: { width: number; height: number },
  canResize: boolean,
  answer?: ResizeAnswer,
): Buffer {
  const rectangle = Buffer.alloc(canResize ? 32 : 12)
  if (canResize && answer) {
    rectangle.writeUInt16BE(1, 0)
    rectangle.writeUInt16BE(answer === 'done' ? 0 : 1, 2)
  }
  rectangle.writeUInt16BE(width, 4)
  rectangle.writeUInt16BE(height, 6)
  rectangle.writeInt32BE(canResize ? ENCODING.extendedDesktopSize : ENCODING.desktopSize, 8)
  if (canResize) {
    rectangle[12] = 1
    writeScreen(rectangle, 16, width, height, { id: 0, flags: 0 })
  }
  return Buffer.concat([updateHead(1), rectangle])
}

/** The desktop is called something else now, as an update. */
export function nameUpdate(name: string): Buffer {
  const words = Buffer.from(name)
  const rectangle = Buffer.alloc(16)
  rectangle.writeInt32BE(ENCODING.desktopName, 8)
  rectangle.writeUInt32BE(words.length, 12)
  return Buffer.concat([updateHead(1), rectangle, words])
}

/** Description of a server's screen when a client is in (RFC 6143 §7.3.2). */
export function serverInit({ width, height }: { width: number; height: number }, name: string): Buffer {
  const words = Buffer.from(name)
  const bytes = Buffer.alloc(24)
  bytes.writeUInt16BE(width, 0)
  bytes.writeUInt16BE(height, 2)
  PIXEL_FORMAT.copy(bytes, 4)
  bytes.writeUInt32BE(words.length, 20)
  return Buffer.concat([bytes, words])
}
