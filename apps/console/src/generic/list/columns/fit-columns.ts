/** Which columns of a list have room, and how wide each is. */
import type { ColumnRoom } from './column-room.ts'

interface FittedColumn extends ColumnRoom {
  key: string
}

/** Width of the column of check boxes. */
export const TICK_WIDTH = 36
const MIN_WIDTH = 104

const least = ({ width, min = MIN_WIDTH }: ColumnRoom) => width ?? min

/** Pixels below which a table of these columns scrolls inside itself. */
export function leastWidth(columns: readonly ColumnRoom[], hasTicks: boolean): number {
  return columns.reduce((sum, column) => sum + least(column), hasTicks ? TICK_WIDTH : 0)
}

/** The columns without those that give way, in the order of `foldFirst`, until the others have room. */
export function foldColumns<C extends FittedColumn>(
  columns: readonly C[],
  { room, hasTicks, foldFirst }: { room: number; hasTicks: boolean; foldFirst: readonly string[] },
): readonly C[] {
  let left = columns
  for (const key of foldFirst) {
    if (leastWidth(left, hasTicks) <= room) break
    left = left.filter((column) => column.key !== key)
  }
  return left
}

/** Widths by key: what is left after every column has its least is shared by those that grow. */
export function columnWidths(
  columns: readonly FittedColumn[],
  { room, hasTicks }: { room: number; hasTicks: boolean },
): ReadonlyMap<string, number> {
  const spare = Math.max(0, room - leastWidth(columns, hasTicks))
  const parts = columns.reduce((sum, { width, grow = 1 }) => sum + (width ? 0 : grow), 0)
  return new Map(
    columns.map((column) => [
      column.key,
      least(column) + (column.width || parts === 0 ? 0 : Math.floor((spare * (column.grow ?? 1)) / parts)),
    ]),
  )
}
