/** The layers of a recording of Guacamole: canvases by number, of which 0 is the screen. */

/** All layers of a recording together; what is more is not drawn. */
const MAX_PIXELS = 64 * 1024 * 1024
const MAX_LAYERS = 1024
const MAX_SIDE = 16_384

export interface Layer {
  context: OffscreenCanvasRenderingContext2D
  width: number
  height: number
  x: number
  y: number
  z: number
  parent: number
  opacity: number
  visible: boolean
}

export class Layers {
  readonly #all = new Map<number, Layer>()
  #pixels = 0

  clear(): void {
    this.#all.clear()
    this.#pixels = 0
  }

  get(n: number): Layer | undefined {
    return this.#all.get(n)
  }

  /** Gives a layer this size; what it shows stays where there is room. False where it would be too much. */
  resize(n: number, width: number, height: number): boolean {
    const [w, h] = [width, height].map((side) => Math.min(Math.max(Math.floor(side), 0), MAX_SIDE)) as [number, number]
    const old = this.#all.get(n)
    const before = old ? old.width * old.height : 0
    if (this.#pixels - before + w * h > MAX_PIXELS) return false
    if (!old && this.#all.size >= MAX_LAYERS && !this.#forgetDisposed()) return false
    const context = new OffscreenCanvas(Math.max(w, 1), Math.max(h, 1)).getContext('2d', { willReadFrequently: n < 0 })
    if (!context) return false
    if (old?.width && old.height) context.drawImage(old.context.canvas, 0, 0)
    const place = old ?? { x: 0, y: 0, z: 0, parent: n > 0 ? 0 : -1, opacity: 255 }
    this.#all.set(n, { ...place, context, width: w, height: h, visible: true })
    this.#pixels += w * h - before
    return true
  }

  /** False where there was none. */
  #forgetDisposed(): boolean {
    for (const [n, { visible, width, height }] of this.#all) {
      if (visible) continue
      this.#all.delete(n)
      this.#pixels -= width * height
    }
    return this.#all.size < MAX_LAYERS
  }

  /** The layer with room for that; buffers grow. Undefined where there is none. */
  withRoom(n: number, width: number, height: number): Layer | undefined {
    const layer = this.#all.get(n)
    const isSmall = !layer || layer.width < width || layer.height < height
    if (n < 0 && isSmall && !this.resize(n, Math.max(layer?.width ?? 0, width), Math.max(layer?.height ?? 0, height)))
      return layer
    const found = this.#all.get(n)
    if (found) found.visible = true
    return found
  }

  /** Empties it; its room is there for the next. */
  dispose(n: number): void {
    const layer = this.#all.get(n)
    if (!layer) return
    layer.context.clearRect(0, 0, layer.width, layer.height)
    layer.visible = false
  }

  /** Paints the screen with the layers on it. */
  paint(onto: CanvasRenderingContext2D): void {
    const screen = this.#all.get(0)
    if (!screen) return
    onto.drawImage(screen.context.canvas, 0, 0)
    const above = [...this.#all].filter(
      ([n, { visible, width, height }]) => n > 0 && visible && width > 0 && height > 0,
    )
    for (const [, layer] of above.sort(([, one], [, other]) => one.z - other.z)) {
      const { x, y } = this.#placeOf(layer)
      onto.globalAlpha = layer.opacity / 255
      onto.drawImage(layer.context.canvas, x, y)
      onto.globalAlpha = 1
    }
  }

  /** Layers lie on one another; a ring of them ends somewhere. */
  #placeOf(layer: Layer): { x: number; y: number } {
    let { x, y, parent } = layer
    for (let depth = 0; depth < 16; depth++) {
      const below = parent > 0 ? this.#all.get(parent) : undefined
      if (!below) break
      x += below.x
      y += below.y
      parent = below.parent
    }
    return { x, y }
  }
}
