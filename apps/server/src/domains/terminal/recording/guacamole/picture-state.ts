import { imageHeader } from '@sallyport/contract/guacamole/image-size.ts'
import { type Instruction, openStream } from '@sallyport/contract/guacamole/instructions.ts'
import { Drawings, type Effect } from './drawings.ts'
import { EVERYWHERE, type Rect } from './regions.ts'

/** The effect of a mask of the protocol. */
const effectOf = (mask: number): Effect => (mask === 0xc ? 'replace' : mask === 0xe ? 'over' : 'other')
/** The cursor is drawn as if on a layer of its own. */
const CURSOR = Number.MIN_SAFE_INTEGER
/** Enough of an image for its header. */
const HEADER_BYTES = 16_384
/** Base64 of one; the player draws no larger one either. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024
const MAX_PROPERTIES = 2048
/** Parts of one path. */
const MAX_PATH = 10_000
/** Properties of a layer, of which the last counts. */
const PROPERTIES = new Set(['size', 'move', 'shade'])

/** Instructions that draw something together, of which the last is not there yet. */
interface Unfinished {
  layer: number
  parts: Buffer[]
  /** Size of these, which is held. */
  held: number
  /** They took too much, and are not here any more. */
  isCut: boolean
}

interface OpenImage extends Unfinished {
  mask: number
  x: number
  y: number
  /** Size of all of it. */
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
  #path: (Unfinished & { rect: Rect | undefined }) | undefined
  #mouse: Buffer = Buffer.alloc(0)
  width = 0
  height = 0

  /** Whether the instructions of this moment's picture are known. */
  get isKnown(): boolean {
    return !this.#drawings.lost && this.#unfinished().every(({ isCut }) => !isCut)
  }

  /** Size of the drawings that are needed. */
  neededBytes(): number {
    this.#drawings.sweep()
    return this.#unfinished().reduce((sum, { held }) => sum + held, this.#drawings.bytes)
  }

  /** The picture, and the drawings that go on after this moment. Without what was lost, where it is not known. */
  text(): Buffer {
    const unfinished = this.#unfinished().flatMap(({ parts }) => parts)
    return Buffer.concat([...this.#properties.values(), this.#drawings.text(), this.#mouse, ...unfinished])
  }

  #unfinished(): Unfinished[] {
    return [...this.#images.values(), ...(this.#path ? [this.#path] : [])]
  }

  #hold(one: Unfinished, bytes: Buffer): void {
    if (one.isCut) return
    one.parts.push(Buffer.from(bytes))
    one.held += bytes.length
    if (!this.#drawings.hold(bytes.length)) for (const each of this.#unfinished()) this.#cut(each)
  }

  #cut(one: Unfinished): void {
    this.#release(one)
    one.isCut = true
  }

  /** The bytes of what is held no longer. */
  #release(one: Unfinished): Buffer[] {
    const { parts } = one
    this.#drawings.hold(-one.held)
    one.held = 0
    one.parts = []
    return parts
  }

  /** Takes an instruction with its bytes. */
  add(one: Instruction, bytes: Buffer): void {
    const { opcode } = one
    if (PROPERTIES.has(opcode)) this.#property(one)
    else if (opcode === 'img') this.#open(one, bytes)
    else if (opcode === 'blob' || opcode === 'end') this.#image(one, bytes)
    else if (opcode === 'png' || opcode === 'jpeg') this.#older(one, bytes)
    else if (opcode === 'copy' || opcode === 'transfer') this.#copy(one, bytes)
    else if (opcode === 'cursor') this.#cursor(one, bytes)
    else if (opcode === 'mouse') this.#mouse = inNumbers(one)
    else if (opcode === 'dispose') this.#dispose(one.number(0), bytes)
    else this.#vector(one, bytes)
  }

  #property(one: Instruction): void {
    const key = `${one.opcode} ${one.number(0)}`
    if (one.opcode === 'size') this.#drawings.resize(one.number(0), one.number(1), one.number(2))
    if (one.opcode === 'size' && one.number(0) === 0) [this.width, this.height] = [one.number(1), one.number(2)]
    if (this.#properties.has(key) || this.#properties.size < MAX_PROPERTIES) this.#properties.set(key, inNumbers(one))
    else this.#drawings.loseForGood()
  }

  #open(one: Instruction, bytes: Buffer): void {
    const [stream, mask, layer, x, y] = [0, 1, 2, 4, 5].map(one.number) as [number, number, number, number, number]
    const image = { layer, mask, x, y, bytes: bytes.length, head: Buffer.alloc(0), parts: [], held: 0, isCut: false }
    const before = [...this.#images.values()]
    openStream<OpenImage>(this.#images, stream, image)
    const left = new Set(this.#images.values())
    for (const forgotten of before) if (!left.has(forgotten)) this.#release(forgotten)
    this.#hold(image, bytes)
  }

  #image(one: Instruction, bytes: Buffer): void {
    const image = this.#images.get(one.number(0))
    if (!image) return
    this.#hold(image, bytes)
    image.bytes += bytes.length
    if (one.opcode === 'blob' && image.head.length < HEADER_BYTES)
      image.head = Buffer.concat([image.head, Buffer.from(one.text(1).slice(0, 2 * HEADER_BYTES), 'base64')])
    const isTooLarge = image.bytes > MAX_IMAGE_BYTES
    if (one.opcode !== 'end' && !isTooLarge) return
    this.#images.delete(one.number(0))
    const parts = this.#release(image)
    if (isTooLarge) return
    if (image.isCut) this.#drawings.lose(image.layer)
    else this.#draw(image, Buffer.concat(parts))
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
      this.#path ??= { layer, parts: [], held: 0, isCut: false, rect }
      if (!rect) this.#path.rect = undefined
      this.#hold(this.#path, bytes)
      if (this.#path.parts.length > MAX_PATH) this.#cut(this.#path)
    } else if (ENDS.has(opcode)) {
      const [mask, layer, alpha] = [one.number(0), one.number(1), one.number(5)]
      const path = this.#path
      const rect = path?.rect ?? EVERYWHERE
      const solid = opcode === 'cfill' && path?.rect !== undefined && alpha === 255
      const effect = opcode === 'cfill' && path?.rect ? effectOf(mask) : 'other'
      const parts = path ? this.#release(path) : []
      this.#path = undefined
      if (path?.isCut) this.#drawings.lose(layer)
      else this.#drawings.draw(layer, Buffer.concat([...parts, bytes]), rect, effect, solid)
    }
  }
}

/** The instruction again, of numbers alone: however long it was, this is short. */
function inNumbers({ opcode, count, number }: Instruction): Buffer {
  const numbers = Array.from({ length: Math.min(count, 5) }, (_, n) => Math.min(Math.max(number(n), -1e9), 1e9))
  return Buffer.from(`${[opcode, ...numbers].map((one) => `${String(one).length}.${one}`).join(',')};`)
}

const PATH = new Set(['rect', 'start', 'line', 'arc', 'curve', 'close'])
const ENDS = new Set(['cfill', 'lfill', 'cstroke', 'lstroke', 'clip'])

type Nine = [number, number, number, number, number, number, number, number, number]
