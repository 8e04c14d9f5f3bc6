import type { Area, Picture } from './picture.ts'

/** A pointer as it is painted; the point that it points with is at `hotX`, `hotY`. */
export interface PointerShape {
  width: number
  height: number
  hotX: number
  hotY: number
  /** As a picture keeps colors, or one of the two below; row by row. */
  pixels: Int32Array
}

/** A transparent pixel: the picture under it is visible. */
export const NOTHING = -1
/** A pixel that shows the picture under it in the opposite color. */
export const INVERTED = -2

/**
 * Paints the pointer into the picture of a machine that leaves this to its clients, so that
 * everybody who looks sees it, and so does a recording.
 */
export class PaintedPointer {
  readonly #picture: Picture
  #shape: PointerShape | undefined = ARROW
  /** Unknown before somebody has moved it: it would be drawn in a corner. */
  #at: { x: number; y: number } | undefined
  /** The content under it, while it is painted. */
  #under: { area: Area; pixels: Uint32Array } | undefined

  constructor(picture: Picture) {
    this.#picture = picture
  }

  /** `undefined` hides it. */
  show(shape: PointerShape | undefined): void {
    this.#change(() => {
      this.#shape = shape
    })
  }

  move(x: number, y: number): void {
    this.#change(() => {
      this.#at = { x, y }
    })
  }

  /** Paints an area of the picture under the pointer. */
  under(area: Area, work: () => void): void {
    const isCovered = this.#under !== undefined && meet(this.#under.area, area)
    if (isCovered) this.#lift()
    work()
    if (isCovered) this.#put()
  }

  /** The picture starts again. */
  reset(): void {
    this.#under = undefined
    this.#put()
  }

  #change(work: () => void): void {
    const before = this.#under?.area
    this.#lift()
    work()
    this.#put()
    const after = (this.#under as { area: Area } | undefined)?.area
    if (before) this.#picture.touch(before)
    if (after) this.#picture.touch(after)
  }

  #lift(): void {
    if (!this.#under) return
    const { area, pixels } = this.#under
    this.#under = undefined
    const { width, pixels: screen } = this.#picture
    for (let row = 0; row < area.height; row++)
      screen.set(pixels.subarray(row * area.width, (row + 1) * area.width), (area.y + row) * width + area.x)
  }

  #put(): void {
    const shape = this.#shape
    const at = this.#at
    const area = shape && at && this.#areaOf(shape, at)
    if (!shape || !at || !area) return
    const { width, pixels: screen } = this.#picture
    const under = new Uint32Array(area.width * area.height)
    const [left, top] = [at.x - shape.hotX, at.y - shape.hotY]
    for (let row = 0; row < area.height; row++) {
      const start = (area.y + row) * width + area.x
      under.set(screen.subarray(start, start + area.width), row * area.width)
      for (let n = 0; n < area.width; n++) {
        const pixel = shape.pixels[(area.y + row - top) * shape.width + area.x + n - left] as number
        if (pixel === INVERTED) screen[start + n] = (screen[start + n] as number) ^ 0xffffff
        else if (pixel !== NOTHING) screen[start + n] = pixel
      }
    }
    this.#under = { area, pixels: under }
  }

  /** The part of it that is on the screen. */
  #areaOf({ width, height, hotX, hotY }: PointerShape, at: { x: number; y: number }): Area | undefined {
    const [left, top] = [at.x - hotX, at.y - hotY]
    const x = Math.max(0, left)
    const y = Math.max(0, top)
    const area = {
      x,
      y,
      width: Math.min(left + width, this.#picture.width) - x,
      height: Math.min(top + height, this.#picture.height) - y,
    }
    return area.width > 0 && area.height > 0 ? area : undefined
  }
}

function meet(a: Area, b: Area): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** An arrow, for machines that want the one that a system has of its own. */
export const ARROW: PointerShape = drawn([
  '#           ',
  '##          ',
  '#.#         ',
  '#..#        ',
  '#...#       ',
  '#....#      ',
  '#.....#     ',
  '#......#    ',
  '#.......#   ',
  '#........#  ',
  '#.....##### ',
  '#..#..#     ',
  '#.# #..#    ',
  '##  #..#    ',
  '     #..#   ',
  '      ##    ',
])

function drawn(rows: readonly string[]): PointerShape {
  const pixels = [...rows.join('')].map((sign) => (sign === '#' ? 0 : sign === '.' ? 0xffffff : NOTHING))
  return { width: (rows[0] as string).length, height: rows.length, hotX: 0, hotY: 0, pixels: Int32Array.from(pixels) }
}
