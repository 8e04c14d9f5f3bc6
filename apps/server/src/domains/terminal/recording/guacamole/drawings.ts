import { covers, EVERYWHERE, grown, inFewParts, meets, type Rect, shared, without } from './regions.ts'

/** Instructions that draw something, as they were recorded. */
interface Drawing {
  layer: number
  bytes: Buffer
  rect: Rect
  /** The part of it that nothing has been drawn over since. */
  seen: readonly Rect[]
  /** The place that it copies, and what was seen of the drawings there. */
  from: Rect | undefined
  taken: { drawing: Drawing; seen: readonly Rect[] }[]
}

/** How a drawing changes what is below: draws over it, takes its place, or something else. */
export type Effect = 'over' | 'replace' | 'other'

/** A drawing is seen in at most so many parts; beyond, it counts as seen where it may be hidden. */
const MAX_SEEN = 32
/** Bounds of what is kept, whatever a recording draws; the bytes together with those of unfinished drawings. */
const MAX_DRAWINGS = 5000
const MAX_BYTES = 16 * 1024 * 1024
/** More layers are none of a desktop. */
const MAX_LAYERS = 2048

/**
 * The drawings of a recording that can still be seen, or were copied to where they can. Replayed in
 * their order they give the picture of this moment, without unpacking a single image.
 */
export class Drawings {
  #all: Drawing[] = []
  /** Where nothing shows through, by layer. */
  readonly #solid = new Map<number, readonly Rect[]>()
  readonly #sizes = new Map<number, Rect>()
  /** Layers of which there was more than is kept, until they are emptied or drawn over. */
  readonly #lost = new Set<number>()
  #isLostForGood = false
  #afterSweep = 0
  #unfinished = 0
  bytes = 0

  get lost(): boolean {
    return this.#isLostForGood || this.#lost.size > 0
  }

  /** Forgets what is on a layer. */
  lose(layer: number): void {
    if (this.#lost.size < MAX_DRAWINGS) this.#lost.add(layer)
    else this.loseForGood()
  }

  loseForGood(): void {
    this.#isLostForGood = true
  }

  /**
   * Counts bytes of drawings that are not finished, or with a minus those that are. False: there is no
   * room, and what was drawn is lost as well.
   */
  hold(bytes: number): boolean {
    this.#unfinished += bytes
    return this.#makeRoom()
  }

  /** `solid`: no pixel of it is seen through. */
  draw(layer: number, bytes: Buffer, rect: Rect, effect: Effect, solid: boolean): void {
    if (effect !== 'other' && (solid || effect === 'replace')) this.#hide(layer, rect)
    if (effect !== 'other' && solid) this.#solid.set(layer, grown(this.#solid.get(layer) ?? [], rect))
    else if (effect !== 'over') this.#solid.set(layer, without(this.#solid.get(layer) ?? [], rect))
    this.#findAgain(layer, effect === 'replace' ? rect : undefined)
    this.#keep({ layer, bytes, rect, seen: [rect], from: undefined, taken: [] })
  }

  /** Copies a part of a layer. A scrolled window is its own copy, hundreds of times. */
  copy(layer: number, bytes: Buffer, rect: Rect, effect: Effect, source: Rect & { layer: number }): void {
    const taken = this.#all
      .filter((one) => one.layer === source.layer && one.seen.some((part) => meets(part, source)))
      .map((drawing) => ({ drawing, seen: drawing.seen }))
    const solid = covers(this.#solid.get(source.layer) ?? [], source)
    if (effect !== 'other' && solid) this.#hide(layer, rect)
    if (effect !== 'other' && solid) this.#solid.set(layer, grown(this.#solid.get(layer) ?? [], rect))
    else if (effect !== 'over') this.#solid.set(layer, without(this.#solid.get(layer) ?? [], rect))
    // A solid area was drawn since the loss.
    if (this.#lost.has(source.layer) && !solid) this.lose(layer)
    else this.#findAgain(layer)
    this.#keep({ layer, bytes, rect, seen: [rect], from: source, taken })
  }

  /** A layer is empty from now on. */
  dispose(layer: number, bytes: Buffer): void {
    this.#sizes.delete(layer)
    this.draw(layer, bytes, EVERYWHERE, 'replace', false)
  }

  /** A layer has this size: its content beside it is gone. */
  resize(layer: number, width: number, height: number): void {
    if (this.#sizes.has(layer) || this.#sizes.size < MAX_LAYERS) this.#sizes.set(layer, { x: 0, y: 0, width, height })
    for (const beside of without([EVERYWHERE], { x: 0, y: 0, width, height })) {
      this.#hide(layer, beside)
      this.#solid.set(layer, without(this.#solid.get(layer) ?? [], beside))
    }
  }

  /** All that is needed now. */
  text(): Buffer {
    this.sweep()
    return Buffer.concat(this.#all.map(({ bytes }) => bytes))
  }

  #keep(drawing: Drawing): void {
    // Its own bytes, since those that were read belong to a large buffer.
    this.#all.push({ ...drawing, bytes: Buffer.from(drawing.bytes) })
    this.bytes += drawing.bytes.length
    if (this.#all.length > 2 * this.#afterSweep + 200) this.sweep()
    this.#makeRoom()
  }

  #makeRoom(): boolean {
    const isFull = () => this.#all.length > MAX_DRAWINGS || this.bytes + this.#unfinished > MAX_BYTES
    if (isFull()) this.sweep()
    if (!isFull()) return true
    for (const { layer } of this.#all) this.lose(layer)
    this.#all = []
    this.#solid.clear()
    this.bytes = 0
    return false
  }

  /** A layer is known again once nothing of before is left on it. */
  #findAgain(layer: number, replaced?: Rect): void {
    if (!this.#lost.has(layer)) return
    const all = this.#sizes.get(layer) ?? EVERYWHERE
    if (covers([...(this.#solid.get(layer) ?? []), ...(replaced ? [replaced] : [])], all)) this.#lost.delete(layer)
  }

  #hide(layer: number, rect: Rect): void {
    for (const one of this.#all) {
      if (one.layer !== layer || !one.seen.some((part) => meets(part, rect))) continue
      const left = without(one.seen, rect)
      if (left.length <= MAX_SEEN) one.seen = left
    }
  }

  /**
   * Drops what is not needed: not seen, and in no copy that is seen. From the last to the first, since
   * a copy needs only what was there before it, and of that only what is needed of itself.
   */
  sweep(): void {
    const needed = new Map<Drawing, Rect[]>()
    const kept: Drawing[] = []
    for (const one of this.#all.toReversed()) {
      const area = inFewParts([...one.seen, ...(needed.get(one) ?? [])])
      needed.delete(one)
      if (area.length === 0) continue
      kept.push(one)
      const { from, rect } = one
      if (!from) continue
      const places = area.flatMap((part) => sourceOf(part, rect, from) ?? [])
      one.taken = one.taken.filter(({ drawing, seen }) => {
        const wanted = seen.flatMap((part) => places.flatMap((place) => shared(part, place) ?? []))
        if (wanted.length) needed.set(drawing, [...inFewParts([...(needed.get(drawing) ?? []), ...wanted])])
        return wanted.length > 0
      })
    }
    this.#all = kept.toReversed()
    const drawn = new Set(kept.map(({ layer }) => layer))
    for (const layer of this.#solid.keys()) if (!drawn.has(layer)) this.#solid.delete(layer)
    this.#afterSweep = this.#all.length
    this.bytes = this.#all.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }
}

/** The place that a part of a copy came from. */
function sourceOf(part: Rect, copy: Rect, from: Rect): Rect | undefined {
  // The pointer is copied as a whole.
  if (copy === EVERYWHERE) return from
  const place = shared(part, copy)
  return place && { ...place, x: place.x - copy.x + from.x, y: place.y - copy.y + from.y }
}
