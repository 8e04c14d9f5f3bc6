/** About so many lines above the base. */
const LINES = 3

/**
 * Heights of the lines of a chart, from 0 up: whole numbers at equal steps, the last not below the
 * highest value.
 */
export function wholeTicks(highest: number): number[] {
  const rough = Math.max(1, highest / LINES)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_, n) => n * step)
}
