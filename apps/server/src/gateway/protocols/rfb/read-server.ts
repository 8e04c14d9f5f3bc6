import type { Area, Picture } from '../../kinds/desktop/picture/picture.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { type Steps, skip } from '../steps.ts'
import { readHextile } from './hextile.ts'
import { ENCODING, FROM_SERVER, MAX_CUT_BYTES, type ScreenLayout } from './messages.ts'

/**
 * Encodings that the gateway asks servers for: none that needs earlier data, and none that it can't
 * read.
 */
export const READABLE: readonly number[] = [
  ENCODING.copyRect,
  ENCODING.hextile,
  ENCODING.raw,
  ENCODING.extendedDesktopSize,
  ENCODING.desktopSize,
  ENCODING.lastRect,
  ENCODING.extendedClipboard,
]

/** An update that paints the screen more often than this does not show anything any more. */
const MAX_PAINTED = 8
const MAX_RESIZES = 4
/** Texts that are longer are not passed over: something else is wrong. */
const MAX_SKIPPED = 64 * 1024 * 1024
const MAX_SCREENS = 64

/** Messages of a server besides its picture. */
export interface ServerListener {
  /** An update is complete. */
  updated(): void
  /** The size changed: everything is to be asked for. */
  resized(): void
  /** Its screen can be given another size. */
  resizable(layout: ScreenLayout): void
  /** Its clipboard, as far as Latin-1 has it. */
  copied(text: string): void
  /** Something that is too long is on it. */
  copiedTooMuch(): void
  /** A message about a clipboard in which every script fits. */
  clipboard(message: Buffer): void
  bell(): void
}

/** Reads what a server sends, and keeps its picture. Throws ProtocolViolation. */
export function* readServer(picture: Picture, listener: ServerListener): Steps {
  for (;;) {
    const [type] = yield 1
    switch (type) {
      case FROM_SERVER.update:
        yield* readUpdate(picture, listener)
        break
      case FROM_SERVER.colors:
        yield* skip((yield 5).readUInt16BE(3) * 6)
        break
      case FROM_SERVER.bell:
        listener.bell()
        break
      case FROM_SERVER.cutText:
        yield* readCutText(listener)
        break
      default:
        throw new ProtocolViolation(`message ${type} of a VNC server`)
    }
  }
}

/** A length below zero tells what is no plain text. */
function* readCutText(listener: ServerListener): Steps {
  const signedLength = (yield 7).readInt32BE(3)
  const length = Math.abs(signedLength)
  if (length > MAX_SKIPPED) throw new ProtocolViolation('a clipboard that is too large')
  if (length > MAX_CUT_BYTES) {
    listener.copiedTooMuch()
    return yield* skip(length)
  }
  const bytes = yield length
  if (signedLength < 0) listener.clipboard(bytes)
  else listener.copied(bytes.toString('latin1'))
}

function* readUpdate(picture: Picture, listener: ServerListener): Steps {
  const count = (yield 3).readUInt16BE(1)
  let resizes = 0
  let painted = 0
  for (let n = 0; n < count; n++) {
    const head = yield 12
    const area: Area = {
      x: head.readUInt16BE(0),
      y: head.readUInt16BE(2),
      width: head.readUInt16BE(4),
      height: head.readUInt16BE(6),
    }
    const encoding = head.readInt32BE(8)
    if (encoding === ENCODING.lastRect) break
    if (encoding === ENCODING.desktopSize) resizes += resize(picture, area) ? 1 : 0
    else if (encoding === ENCODING.extendedDesktopSize)
      resizes += (yield* readExtendedSize(picture, area, listener)) ? 1 : 0
    else {
      painted += area.width * area.height
      if (painted > MAX_PAINTED * picture.width * picture.height)
        throw new ProtocolViolation('an update paints the screen over and over')
      yield* readArea(picture, area, encoding)
    }
    if (resizes > MAX_RESIZES) throw new ProtocolViolation('an update changes the size over and over')
  }
  if (resizes) listener.resized()
  listener.updated()
}

function* readArea(picture: Picture, area: Area, encoding: number): Steps {
  demandInside(picture, area)
  if (encoding === ENCODING.raw)
    for (let n = 0; n < area.height; n++) picture.putRow(area.x, area.y + n, cleared(yield area.width * 4))
  else if (encoding === ENCODING.hextile) yield* readHextile(picture, area)
  else if (encoding === ENCODING.copyRect) {
    const from = yield 4
    const [x, y] = [from.readUInt16BE(0), from.readUInt16BE(2)]
    demandInside(picture, { ...area, x, y })
    picture.copy(area, x, y)
  } else throw new ProtocolViolation(`encoding ${encoding}, which nobody asked for`)
  picture.touch(area)
}

/** The byte that means nothing may be anything: colors would differ that look the same. */
function cleared(row: Buffer): Buffer {
  for (let at = 3; at < row.length; at += 4) row[at] = 0
  return row
}

function demandInside(picture: Picture, { x, y, width, height }: Area): void {
  if (x + width > picture.width || y + height > picture.height)
    throw new ProtocolViolation('a rectangle lies outside of the screen')
}

/** Answers whether the size is another now. */
function resize(picture: Picture, { width, height }: Area): boolean {
  if (width === picture.width && height === picture.height) return false
  try {
    picture.resize(width, height)
  } catch (error) {
    throw new ProtocolViolation((error as Error).message)
  }
  return true
}

/** `x` says who asked, `y` whether it was done. */
function* readExtendedSize(picture: Picture, area: Area, listener: ServerListener): Steps<boolean> {
  const [screens = 0] = yield 4
  if (screens > MAX_SCREENS) throw new ProtocolViolation('a desktop of too many screens')
  const all = yield screens * 16
  if (all.length) listener.resizable({ id: all.readUInt32BE(0), flags: all.readUInt32BE(12) })
  return area.y === 0 && resize(picture, area)
}
