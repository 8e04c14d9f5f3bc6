/** A rectangle of a layer, in pixels. */
export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** All of a layer, however large. */
export const EVERYWHERE: Rect = { x: -1e9, y: -1e9, width: 2e9, height: 2e9 }

/** An area is kept in at most so many parts. */
const MAX_PARTS = 64

export const meets = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

/** The part that two rectangles share; undefined for none. */
export function shared(one: Rect, other: Rect): Rect | undefined {
  if (!meets(one, other)) return undefined
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)]
  return {
    x,
    y,
    width: Math.min(one.x + one.width, other.x + other.width) - x,
    height: Math.min(one.y + one.height, other.y + other.height) - y,
  }
}

/** The rest of an area beside a rectangle. */
export const without = (area: readonly Rect[], hidden: Rect): Rect[] =>
  area.flatMap((rect) => (meets(rect, hidden) ? beside(rect, hidden) : [rect]))

function beside(rect: Rect, hidden: Rect): Rect[] {
  const [right, bottom] = [rect.x + rect.width, rect.y + rect.height]
  const [top, end] = [Math.max(rect.y, hidden.y), Math.min(bottom, hidden.y + hidden.height)]
  const left: Rect[] = []
  const add = (x: number, y: number, toX: number, toY: number) => {
    if (toX > x && toY > y) left.push({ x, y, width: toX - x, height: toY - y })
  }
  add(rect.x, rect.y, right, top)
  add(rect.x, end, right, bottom)
  add(rect.x, top, Math.min(right, hidden.x), end)
  add(Math.max(rect.x, hidden.x + hidden.width), top, right, end)
  return left
}

/** Whether an area has all of a rectangle; false where that would take long to say. */
export function covers(area: readonly Rect[], rect: Rect): boolean {
  let left = [rect]
  for (const part of area) {
    left = without(left, part)
    if (left.length === 0) return true
    if (left.length > MAX_PARTS) return false
  }
  return false
}

/** The area with another rectangle; without it where there are too many parts already. */
export function grown(area: readonly Rect[], rect: Rect): readonly Rect[] {
  if (covers(area, rect)) return area
  const others = area.filter((part) => !covers([rect], part))
  return others.length < MAX_PARTS ? [...others, rect] : others
}

/** An area in few parts, which may then be larger. */
export function inFewParts(area: readonly Rect[]): readonly Rect[] {
  if (area.length <= MAX_PARTS) return area
  const [x, y] = [Math.min(...area.map((part) => part.x)), Math.min(...area.map((part) => part.y))]
  const [right, bottom] = [
    Math.max(...area.map((part) => part.x + part.width)),
    Math.max(...area.map((part) => part.y + part.height)),
  ]
  return [{ x, y, width: right - x, height: bottom - y }]
}
