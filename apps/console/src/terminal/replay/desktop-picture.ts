/**
 * The picture that a recording of a desktop paints: updates of RFB in the one encoding that the
 * gateway records (Tight without what went before, and sizes). Knows no page, so that it paints in a
 * worker and in a page of one file as well.
 */
import { unzlibSync } from 'fflate'

const TIGHT = 7
const DESKTOP_SIZE = -223
const FILL = 8
const WITH_FILTER = 4
/** Shorter data is there as it is. */
const MIN_DEFLATED = 12
/** As of the gateway's pictures. */
const MAX_PIXELS = 4096 * 2304

export class DesktopPicture {
  width = 0
  height = 0
  /** Red, green, blue and opacity of each pixel. */
  data = new Uint8ClampedArray(0)
  #bytes: Uint8Array = this.data as unknown as Uint8Array
  #at = 0

  /** Paints an update. @throws Error for what is none; what was painted before stays */
  apply(update: Uint8Array): void {
    this.#bytes = update
    this.#at = 2
    for (let left = this.#u16(); left > 0; left--) {
      const [x, y, width, height] = [this.#u16(), this.#u16(), this.#u16(), this.#u16()]
      const encoding = (this.#u16() << 16) | this.#u16()
      if (encoding === DESKTOP_SIZE) this.#resize(width, height)
      else if (encoding === TIGHT && x + width <= this.width && y + height <= this.height)
        this.#paint(x, y, width, height)
      else throw new Error('no update of a recorded desktop')
    }
  }

  #resize(width: number, height: number): void {
    if (width * height > MAX_PIXELS) throw new Error('a screen that is too large')
    this.width = width
    this.height = height
    this.data = new Uint8ClampedArray(width * height * 4)
  }

  #paint(x: number, y: number, width: number, height: number): void {
    const control = this.#u8() >> 4
    if (control === FILL) {
      const [red, green, blue] = this.#take(3) as unknown as [number, number, number]
      this.#each(x, y, width, height, () => [red, green, blue])
      return
    }
    if (!(control & WITH_FILTER)) {
      const all = this.#packed(width * height * 3)
      this.#each(x, y, width, height, (n) => [all[n * 3], all[n * 3 + 1], all[n * 3 + 2]] as Color)
      return
    }
    if (this.#u8() !== 1) throw new Error('no update of a recorded desktop')
    const count = this.#u8() + 1
    const palette = this.#take(count * 3)
    const rowBytes = count === 2 ? Math.ceil(width / 8) : width
    const indexes = this.#packed(rowBytes * height)
    this.#each(x, y, width, height, (_n, row, column) => {
      const index =
        count === 2
          ? ((indexes[row * rowBytes + (column >> 3)] as number) >> (7 - (column & 7))) & 1
          : (indexes[row * rowBytes + column] as number)
      return [palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2]] as Color
    })
  }

  #each(
    x: number,
    y: number,
    width: number,
    height: number,
    color: (n: number, row: number, column: number) => Color,
  ): void {
    for (let row = 0, n = 0; row < height; row++) {
      let to = ((y + row) * this.width + x) * 4
      for (let column = 0; column < width; column++, n++, to += 4) {
        const [red, green, blue] = color(n, row, column)
        this.data[to] = red
        this.data[to + 1] = green
        this.data[to + 2] = blue
        this.data[to + 3] = 255
      }
    }
  }

  #packed(length: number): Uint8Array {
    if (length < MIN_DEFLATED) return this.#take(length)
    let deflated = 0
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.#u8()
      deflated |= (byte & (shift < 14 ? 0x7f : 0xff)) << shift
      if (!(byte & 0x80) || shift === 14) break
    }
    // No more than there is room for comes out, whatever is in it.
    return unzlibSync(this.#take(deflated), { out: new Uint8Array(length) })
  }

  #u8(): number {
    return this.#take(1)[0] as number
  }
  #u16(): number {
    const [high, low] = this.#take(2) as unknown as [number, number]
    return (high << 8) | low
  }
  #take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new Error('an update is cut short')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}

type Color = [red: number, green: number, blue: number]

export function bytesOf(base64: string): Uint8Array {
  const letters = atob(base64)
  const bytes = new Uint8Array(letters.length)
  for (let n = 0; n < letters.length; n++) bytes[n] = letters.charCodeAt(n)
  return bytes
}
