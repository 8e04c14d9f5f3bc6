import { imageHeader } from '@sallyport/contract/guacamole/image-size.ts'
import type { Instruction } from '@sallyport/contract/guacamole/instructions.ts'
import { Drawings, type Effect } from './drawings.ts'
import { EVERYWHERE, type Rect } from './regions.ts'

/** The effect of a mask of the protocol. */
const effectOf = (mask: number): Effect => (mask === 0xc ? 'replace' : mask === 0xe ? 'over' : 'other')
/** The cursor is drawn as if on a layer of its own. */
const CURSOR = Number.MIN_SAFE_INTEGER
/** Enough of an image for its header. */
const HEADER_BYTES = 16_384
const MAX_STREAMS = 64
const MAX_LAYERS = 2048
/** Properties of a layer, of which the last counts. */
const PROPERTIES = new Set(['size', 'move', 'shade'])

interface OpenImage {
  layer: number
  mask: number
  x: number
  y: number
  parts: Buffer[]
  bytes: number
  /** The beginning of the image itself. */
  head: Buffer
}

/**
 * Follows a recording, to say at any moment by which instructions its picture can be made again.
 * Images are not unpacked: that they cover something is known by their headers.
 */
export class PictureState {
  readonly #drawings = new Drawings()
  /** Last instruction of a property of a layer. */
  readonly #properties = new Map<string, Buffer>()
  readonly #images = new Map<number, OpenImage>()
  #path: { layer: number; parts: Buffer[]; rect: Rect | undefined } | undefined
  #mouse = Buffer.alloc(0)
  width = 0
  height = 0

  /** Whether the instructions of this moment's picture are known. */
  get isKnown(): boolean {
    return !this.#drawings.lost && this.#images.size === 0 && !this.#path
  }

  /** Size of the drawings that are needed. */
  neededBytes(): number {
    this.#drawings.sweep()
    return this.#drawings.bytes
  }

  text(): Buffer {
    return Buffer.concat([...this.#properties.values(), this.#drawings.text(), this.#mouse])
  }

  /** Takes an instruction with its bytes. */
  add(one: Instruction, bytes: Buffer): void {
    const { opcode } = one
    if (PROPERTIES.has(opcode)) this.#property(one, bytes)
    else if (opcode === 'img') this.#open(one, bytes)
    else if (opcode === 'blob' || opcode === 'end') this.#image(one, bytes)
    else if (opcode === 'png' || opcode === 'jpeg') this.#older(one, bytes)
    else if (opcode === 'copy' || opcode === 'transfer') this.#copy(one, bytes)
    else if (opcode === 'cursor') this.#cursor(one, bytes)
    else if (opcode === 'mouse') this.#mouse = Buffer.from(bytes)
    else if (opcode === 'dispose') this.#dispose(one.number(0), bytes)
    else this.#vector(one, bytes)
  }

  #property(one: Instruction, bytes: Buffer): void {
    const key = `${one.opcode} ${one.number(0)}`
    if (one.opcode === 'size') this.#drawings.resize(one.number(0), one.number(1), one.number(2))
    if (one.opcode === 'size' && one.number(0) === 0) [this.width, this.height] = [one.number(1), one.number(2)]
    if (this.#properties.has(key) || this.#properties.size < MAX_LAYERS) this.#properties.set(key, Buffer.from(bytes))
  }

  #open(one: Instruction, bytes: Buffer): void {
    if (this.#images.size >= MAX_STREAMS) this.#images.clear()
    const [stream, mask, layer, x, y] = [0, 1, 2, 4, 5].map(one.number) as [number, number, number, number, number]
    const parts = [Buffer.from(bytes)]
    this.#images.set(stream, { layer, mask, x, y, parts, bytes: bytes.length, head: Buffer.alloc(0) })
  }

  #image(one: Instruction, bytes: Buffer): void {
    const image = this.#images.get(one.number(0))
    if (!image) return
    image.parts.push(Buffer.from(bytes))
    image.bytes += bytes.length
    if (one.opcode === 'blob' && image.head.length < HEADER_BYTES)
      image.head = Buffer.concat([image.head, Buffer.from(one.text(1), 'base64')])
    // An image without end is none.
    if (image.bytes > 64 * 1024 * 1024) this.#images.delete(one.number(0))
    if (one.opcode !== 'end') return
    this.#images.delete(one.number(0))
    this.#draw(image, Buffer.concat(image.parts))
  }

  /** `png` and `jpeg` of older servers have the whole image in one. */
  #older(one: Instruction, bytes: Buffer): void {
    const [mask, layer, x, y] = [0, 1, 2, 3].map(one.number) as [number, number, number, number]
    this.#draw({ layer, mask, x, y, head: Buffer.from(one.text(4).slice(0, HEADER_BYTES), 'base64') }, bytes)
  }

  #draw({ layer, mask, x, y, head }: Pick<OpenImage, 'layer' | 'mask' | 'x' | 'y' | 'head'>, bytes: Buffer): void {
    const header = imageHeader(head)
    // The player leaves it out as well.
    if (!header) return
    const rect = { x, y, width: header.width, height: header.height }
    this.#over(layer, rect, mask === 0xe && header.opaque)
    this.#drawings.draw(layer, bytes, rect, effectOf(mask), header.opaque)
  }

  #copy(one: Instruction, bytes: Buffer): void {
    const [layer, x, y, width, height, mask, target, toX, toY] = Array.from({ length: 9 }, (_, n) =>
      one.number(n),
    ) as Nine
    const effect = one.opcode === 'copy' ? effectOf(mask) : 'other'
    const source = { layer, x, y, width, height }
    this.#drawings.copy(target, bytes, { x: toX, y: toY, width, height }, effect, source)
  }

  #cursor(one: Instruction, bytes: Buffer): void {
    const [layer, x, y, width, height] = [2, 3, 4, 5, 6].map(one.number) as [number, number, number, number, number]
    this.#drawings.dispose(CURSOR, Buffer.alloc(0))
    this.#drawings.copy(CURSOR, bytes, EVERYWHERE, 'over', { layer, x, y, width, height })
  }

  #dispose(layer: number, bytes: Buffer): void {
    for (const opcode of PROPERTIES) this.#properties.delete(`${opcode} ${layer}`)
    this.#drawings.dispose(layer, bytes)
  }

  /** Paths are drawn by the fill or stroke that ends them; other instructions draw nothing. */
  #vector(one: Instruction, bytes: Buffer): void {
    const { opcode } = one
    if (PATH.has(opcode)) {
      const layer = one.number(0)
      const rect =
        opcode === 'rect' && !this.#path
          ? { x: one.number(1), y: one.number(2), width: one.number(3), height: one.number(4) }
          : undefined
      this.#path ??= { layer, parts: [], rect }
      if (!rect) this.#path.rect = undefined
      if (this.#path.parts.length < 10_000) this.#path.parts.push(Buffer.from(bytes))
    } else if (ENDS.has(opcode)) {
      const [mask, layer, alpha] = [one.number(0), one.number(1), one.number(5)]
      const { parts, rect = EVERYWHERE } = this.#path ?? { parts: [], rect: EVERYWHERE }
      const solid = opcode === 'cfill' && this.#path?.rect !== undefined && alpha === 255
      const effect = opcode === 'cfill' && this.#path?.rect ? effectOf(mask) : 'other'
      this.#path = undefined
      this.#over(layer, rect, solid && effect === 'over')
      this.#drawings.draw(layer, Buffer.concat([...parts, bytes]), rect, effect, solid)
    }
  }

  /** A picture that was lost is known again once all of the screen is drawn over. */
  #over(layer: number, { x, y, width, height }: Rect, opaque: boolean): void {
    const isAll = layer === 0 && opaque && x <= 0 && y <= 0 && x + width >= this.width && y + height >= this.height
    if (this.#drawings.lost && isAll) this.#drawings.lost = false
  }
}

const PATH = new Set(['rect', 'start', 'line', 'arc', 'curve', 'close'])
const ENDS = new Set(['cfill', 'lfill', 'cstroke', 'lstroke', 'clip'])

type Nine = [number, number, number, number, number, number, number, number, number]
