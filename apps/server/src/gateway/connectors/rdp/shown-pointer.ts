import { ARROW, type PaintedPointer, type PointerShape } from '../../kinds/desktop/picture/pointer.ts'
import type { PointerUpdate } from '../../protocols/rdp/pointers.ts'
import { POINTER_CACHE } from '../../protocols/rdp/share.ts'

/** The pointer as a server says it is: by its shape, or by the number of one that it has sent before. */
export class ShownPointer {
  readonly #painted: PaintedPointer
  readonly #shapes = new Map<number, PointerShape>()

  constructor(painted: PaintedPointer) {
    this.#painted = painted
  }

  show(update: PointerUpdate): void {
    if (update.kind === 'shape' && update.index < POINTER_CACHE) this.#shapes.set(update.index, update.shape)
    if (update.kind === 'moved') this.#painted.move(update.x, update.y)
    else if (update.kind === 'shape') this.#painted.show(update.shape)
    else if (update.kind === 'known') this.#painted.show(this.#shapes.get(update.index) ?? ARROW)
    else this.#painted.show(update.kind === 'default' ? ARROW : undefined)
  }
}
