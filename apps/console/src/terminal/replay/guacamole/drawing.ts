/** How instructions of Guacamole draw onto a layer. */
import type { Instruction } from '@sallyport/contract/guacamole/instructions.ts'
import type { Layer, Layers } from './layers.ts'

/** Channel masks of the protocol, as a canvas names them. */
const OPERATIONS: Readonly<Record<number, GlobalCompositeOperation>> = {
  1: 'destination-in',
  2: 'destination-out',
  4: 'source-in',
  6: 'source-atop',
  8: 'source-out',
  9: 'destination-atop',
  10: 'xor',
  11: 'destination-over',
  12: 'copy',
  14: 'source-over',
  15: 'lighter',
}

/** Draws with a mask into a rectangle, and touches nothing beside it. */
function composite({ context }: Layer, mask: number, rect: [number, number, number, number], draw: () => void): void {
  context.save()
  context.beginPath()
  context.rect(...rect)
  context.clip()
  context.globalCompositeOperation = OPERATIONS[mask] ?? 'source-over'
  draw()
  context.restore()
}

export function drawImage(layers: Layers, n: number, mask: number, x: number, y: number, image: ImageBitmap): void {
  const layer = layers.withRoom(n, x + image.width, y + image.height)
  if (layer) composite(layer, mask, [x, y, image.width, image.height], () => layer.context.drawImage(image, x, y))
}

/** `copy` and `transfer`: a part of a layer to another place, or layer. */
export function copy(layers: Layers, one: Instruction): void {
  const [from, x, y, width, height, how, to, toX, toY] = Array.from({ length: 9 }, (_, n) => one.number(n)) as Nine
  const source = layers.get(from)
  const [w, h] = [Math.min(width, (source?.width ?? 0) - x), Math.min(height, (source?.height ?? 0) - y)]
  if (!source || w <= 0 || h <= 0 || x < 0 || y < 0) return
  const target = layers.withRoom(to, toX + w, toY + h)
  if (!target) return
  if (one.opcode === 'transfer') {
    combine(source, target, { x, y, w, h, toX, toY }, how)
    return
  }
  const { canvas } = source.context
  composite(target, how, [toX, toY, w, h], () => target.context.drawImage(canvas, x, y, w, h, toX, toY, w, h))
}

/** Combines the bits of two pictures. The four bits of `how` are the results for 00, 01, 10 and 11. */
function combine(
  source: Layer,
  target: Layer,
  { x, y, w, h, toX, toY }: Record<'x' | 'y' | 'w' | 'h' | 'toX' | 'toY', number>,
  how: number,
): void {
  const above = source.context.getImageData(x, y, w, h).data
  const below = target.context.getImageData(toX, toY, w, h)
  for (let at = 0; at < above.length; at++) {
    if (at % 4 === 3) {
      below.data[at] = 255
      continue
    }
    const [s, d] = [above[at] as number, below.data[at] as number]
    below.data[at] = (how & 8 ? ~s & ~d : 0) | (how & 4 ? ~s & d : 0) | (how & 2 ? s & ~d : 0) | (how & 1 ? s & d : 0)
  }
  target.context.putImageData(below, toX, toY)
}

/** Paths: built by some instructions, drawn by the next one of the others. */
export class Paths {
  #path = new Path2D()

  reset(): void {
    this.#path = new Path2D()
  }

  build(one: Instruction): void {
    const [, a, b, c, d, e, f] = Array.from({ length: 7 }, (_, n) => one.number(n)) as Seven
    if (one.opcode === 'rect') this.#path.rect(a, b, c, d)
    else if (one.opcode === 'start') this.#path.moveTo(a, b)
    else if (one.opcode === 'line') this.#path.lineTo(a, b)
    else if (one.opcode === 'curve') this.#path.bezierCurveTo(a, b, c, d, e, f)
    else if (one.opcode === 'close') this.#path.closePath()
    else if (one.opcode === 'arc') {
      const [start, end] = [Number(one.text(4)) || 0, Number(one.text(5)) || 0]
      this.#path.arc(a, b, Math.max(c, 0), start, end, one.number(6) !== 0)
    }
  }

  draw(layers: Layers, one: Instruction): void {
    const path = this.#path
    this.reset()
    const layer = layers.withRoom(one.number(1), 0, 0)
    if (!layer) return
    const { context } = layer
    context.save()
    context.globalCompositeOperation = OPERATIONS[one.number(0)] ?? 'source-over'
    // It would empty all of the layer, and not only the path.
    if (context.globalCompositeOperation === 'copy') {
      context.clip(path)
      context.clearRect(0, 0, layer.width, layer.height)
      context.globalCompositeOperation = 'source-over'
    }
    const isStroke = one.opcode.endsWith('stroke')
    const style = one.opcode.startsWith('c') ? colorOf(one, isStroke ? 5 : 2) : patternOf(layers, one, context)
    if (style && isStroke) {
      context.strokeStyle = style
      context.lineWidth = Math.max(one.number(4), 1)
      context.stroke(path)
    } else if (style) {
      context.fillStyle = style
      context.fill(path)
    }
    context.restore()
  }
}

const colorOf = (one: Instruction, at: number): string => {
  const [red, green, blue, alpha] = [0, 1, 2, 3].map((n) => one.number(at + n)) as [number, number, number, number]
  return `rgba(${red}, ${green}, ${blue}, ${alpha / 255})`
}

function patternOf(layers: Layers, one: Instruction, context: OffscreenCanvasRenderingContext2D) {
  const source = layers.get(one.number(one.opcode === 'lfill' ? 2 : 5))
  return source?.width && source.height ? context.createPattern(source.context.canvas, 'repeat') : null
}

type Nine = [number, number, number, number, number, number, number, number, number]
type Seven = [number, number, number, number, number, number, number]
