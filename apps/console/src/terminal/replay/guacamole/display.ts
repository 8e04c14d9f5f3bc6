/**
 * The picture of a recording of Guacamole. Images are unpacked by the browser, which may take a
 * while: what is written waits for those before it.
 */
import { imageHeader } from '@sallyport/contract/guacamole/image-size.ts'
import { type Instruction, instructionsOf, openStream } from '@sallyport/contract/guacamole/instructions.ts'
import { bytesOf } from '../desktop-picture.ts'
import { copy, drawImage, Paths } from './drawing.ts'
import { Layers } from './layers.ts'

/** Images that are unpacked ahead of the one that is drawn: so many, of so many pixels together. */
const AHEAD = 32
const AHEAD_PIXELS = 16 * 1024 * 1024
/** Base64 of all images without an end yet; one that takes more is none. */
const MAX_IMAGE_TEXT = 64 * 1024 * 1024
const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp'])

interface Step {
  draw: (image?: ImageBitmap) => void
  /** Bytes of an image that it needs. */
  image?: { bytes: Uint8Array; type: string; pixels: number }
  unpacked?: Promise<ImageBitmap | undefined>
}

export class GuacamoleDisplay {
  readonly layers = new Layers()
  readonly #paths = new Paths()
  readonly #images = new Map<number, { one: Instruction; parts: string[]; length: number }>()
  #cursor: { image: OffscreenCanvas; x: number; y: number } | undefined
  #mouse: { x: number; y: number } | undefined
  #waiting: { steps: Step[]; characters: number }[] = []
  #isBusy = false
  /** Another number since everything began again. */
  #round = 0
  /** Characters that are waiting to be drawn. */
  backlog = 0
  readonly #onDrawn: () => void

  constructor(onDrawn: () => void) {
    this.#onDrawn = onDrawn
  }

  reset(): void {
    this.#round++
    this.#waiting = []
    this.backlog = 0
    this.layers.clear()
    this.#paths.reset()
    this.#images.clear()
    this.#cursor = undefined
    this.#mouse = undefined
  }

  write(text: string): void {
    const steps: Step[] = []
    for (const one of instructionsOf(new TextEncoder().encode(text))) {
      const step = this.#stepOf(one)
      if (step) steps.push(step)
    }
    this.#waiting.push({ steps, characters: text.length })
    this.backlog += text.length
    if (!this.#isBusy) void this.#work()
  }

  /** Paints the screen, layers and the pointer. */
  paint(onto: CanvasRenderingContext2D): void {
    this.layers.paint(onto)
    if (this.#cursor && this.#mouse)
      onto.drawImage(this.#cursor.image, this.#mouse.x - this.#cursor.x, this.#mouse.y - this.#cursor.y)
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const round = this.#round
      for (const [place, step] of next.steps.entries()) {
        unpackAhead(next.steps, place)
        const image = await step.unpacked
        if (round !== this.#round) {
          for (const { unpacked } of next.steps.slice(place)) void unpacked?.then((left) => left?.close())
          break
        }
        if (image || !step.image) step.draw(image)
        image?.close()
      }
      if (round !== this.#round) continue
      this.backlog -= next.characters
      this.#onDrawn()
    }
    this.#isBusy = false
  }

  #stepOf(one: Instruction): Step | undefined {
    switch (one.opcode) {
      case 'img':
        openStream(this.#images, one.number(0), { one, parts: [], length: 0 })
        return undefined
      case 'blob':
        return this.#blob(one)
      case 'end':
        return this.#end(one.number(0))
      case 'png':
      case 'jpeg':
        return this.#image(
          `image/${one.opcode}`,
          one.text(4),
          one.number(1),
          one.number(0),
          one.number(2),
          one.number(3),
        )
      case 'copy':
      case 'transfer':
        return { draw: () => copy(this.layers, one) }
      case 'size':
        return { draw: () => this.layers.resize(one.number(0), one.number(1), one.number(2)) }
      case 'dispose':
        return { draw: () => this.layers.dispose(one.number(0)) }
      case 'move':
      case 'shade':
        return { draw: () => this.#place(one) }
      case 'cursor':
        return { draw: () => this.#takeCursor(one) }
      case 'mouse':
        return { draw: () => (this.#mouse = { x: one.number(0), y: one.number(1) }) }
      case 'rect':
      case 'start':
      case 'line':
      case 'curve':
      case 'arc':
      case 'close':
        return { draw: () => this.#paths.build(one) }
      case 'cfill':
      case 'lfill':
      case 'cstroke':
      case 'lstroke':
        return { draw: () => this.#paths.draw(this.layers, one) }
      case 'clip':
        return { draw: () => this.#paths.reset() }
      default:
        return undefined
    }
  }

  #blob(one: Instruction): undefined {
    const image = this.#images.get(one.number(0))
    const text = image ? one.text(1) : ''
    if (!image) return
    image.parts.push(text)
    image.length += text.length
    const all = [...this.#images.values()].reduce((sum, { length }) => sum + length, 0)
    if (all > MAX_IMAGE_TEXT) this.#images.delete(one.number(0))
  }

  #end(stream: number): Step | undefined {
    const image = this.#images.get(stream)
    this.#images.delete(stream)
    if (!image) return undefined
    const { one, parts } = image
    return this.#image(one.text(3), parts, one.number(2), one.number(1), one.number(4), one.number(5))
  }

  #image(type: string, base64: string | string[], layer: number, mask: number, x: number, y: number): Step | undefined {
    const bytes = TYPES.has(type) ? imageBytes([base64].flat()) : undefined
    const header = bytes && imageHeader(bytes)
    if (!bytes || !header) return undefined
    const pixels = header.width * header.height
    return {
      image: { bytes, type, pixels },
      draw: (image) => image && drawImage(this.layers, layer, mask, x, y, image),
    }
  }

  #place(one: Instruction): void {
    const layer = this.layers.get(one.number(0))
    if (!layer) return
    if (one.opcode === 'shade') layer.opacity = Math.min(Math.max(one.number(1), 0), 255)
    else Object.assign(layer, { parent: one.number(1), x: one.number(2), y: one.number(3), z: one.number(4) })
  }

  #takeCursor(one: Instruction): void {
    const [x, y, n, fromX, fromY, width, height] = Array.from({ length: 7 }, (_, at) => one.number(at)) as Seven
    const source = this.layers.get(n)
    if (!source || width < 1 || height < 1 || width > 512 || height > 512) return
    const image = new OffscreenCanvas(width, height)
    image.getContext('2d')?.drawImage(source.context.canvas, fromX, fromY, width, height, 0, 0, width, height)
    this.#cursor = { image, x, y }
  }
}

type Seven = [number, number, number, number, number, number, number]

/** Each blob is base64 by itself. Undefined for what is none. */
function imageBytes(parts: string[]): Uint8Array | undefined {
  try {
    const all = parts.map(bytesOf)
    const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const one of all) {
      bytes.set(one, at)
      at += one.length
    }
    return bytes
  } catch {
    return undefined
  }
}

/** Begins to unpack the next image, and as many behind it as there is room for. */
function unpackAhead(steps: readonly Step[], place: number): void {
  let pixels = 0
  for (const step of steps.slice(place, place + AHEAD)) {
    pixels += step.image?.pixels ?? 0
    if (step !== steps[place] && pixels > AHEAD_PIXELS) return
    if (step.image) step.unpacked ??= unpack(step.image)
  }
}

const unpack = ({ bytes, type }: NonNullable<Step['image']>): Promise<ImageBitmap | undefined> =>
  createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>], { type })).catch(() => undefined)
