/** Side of the squares by which changes are known. */
export const TILE = 64
/** A picture takes four bytes a pixel on the gateway, once a session: 4096 by 2304 fits, 4K does. */
export const MAX_PIXELS = 4096 * 2304

export interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** Observer of changes. */
export interface ChangeListener {
  resized(): void
  touched(area: Area): void
}

/**
 * The content of a screen. A pixel has four bytes: red, green, blue, and one that is always 0. It
 * is the whole state of a desktop for all viewers: a change is noted in each view, and each viewer
 * takes it as fast as it can.
 */
export class Picture {
  #width: number
  #height: number
  #pixels: Uint32Array
  #bytes: Uint8Array
  readonly #views = new Set<ChangeListener>()

  /** Throws RangeError for a size that is none, or too large. */
  constructor(width: number, height: number) {
    checkSize(width, height)
    this.#width = width
    this.#height = height
    this.#pixels = new Uint32Array(width * height)
    this.#bytes = new Uint8Array(this.#pixels.buffer)
  }

  get width(): number {
    return this.#width
  }

  get height(): number {
    return this.#height
  }

  /** Row by row. */
  get pixels(): Uint32Array {
    return this.#pixels
  }

  /** Lets a view know what changes. Answers how to stop. */
  attach(view: ChangeListener): () => void {
    this.#views.add(view)
    return () => this.#views.delete(view)
  }

  /** Starts again with another size, black. Throws RangeError. */
  resize(width: number, height: number): void {
    checkSize(width, height)
    this.#width = width
    this.#height = height
    this.#pixels = new Uint32Array(width * height)
    this.#bytes = new Uint8Array(this.#pixels.buffer)
    for (const view of this.#views) view.resized()
  }

  /** The possible changes of its size are different now: it is announced once more. */
  announce(): void {
    for (const view of this.#views) view.resized()
  }

  /** A row of pixels as they are on the wire. */
  putRow(x: number, y: number, row: Uint8Array): void {
    this.#bytes.set(row, (y * this.#width + x) * 4)
  }

  /** One color over an area. Nothing is noted: see `touch`. */
  fill({ x, y, width, height }: Area, pixel: number): void {
    for (let row = y; row < y + height; row++) {
      const from = row * this.#width + x
      this.#pixels.fill(pixel, from, from + width)
    }
  }

  /** Copies from elsewhere on the screen; the two may overlap. */
  copy({ x, y, width, height }: Area, fromX: number, fromY: number): void {
    const down = fromY < y
    for (let n = 0; n < height; n++) {
      const row = down ? height - 1 - n : n
      const from = (fromY + row) * this.#width + fromX
      this.#pixels.copyWithin((y + row) * this.#width + x, from, from + width)
    }
  }

  /** Something of that area has changed. */
  touch(area: Area): void {
    for (const view of this.#views) view.touched(area)
  }
}

function checkSize(width: number, height: number): void {
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS))
    throw new RangeError(`a screen of ${width} by ${height} pixels`)
}
