/**
 * Hours of the week as half-hour cells, and as they go over the wire
 * (docs/rules/acls.md#time_period_syntax).
 */
export interface TimePeriod {
  /** Weekday; 0 is Sunday. */
  id: number
  /** `09:00~12:00、13:00~18:00`; an end of 00:00 is midnight. */
  value: string
}

export const SLOTS = 48
/** Weekdays in the order of the grid's rows: Monday first. */
export const WEEK_DAYS: readonly number[] = [1, 2, 3, 4, 5, 6, 0]
const SLOT_MINUTES = 30
const SEPARATOR = '、'

/** Chosen cells: `day * SLOTS + slot`, with days as on the wire. */
export type Cells = ReadonlySet<number>

export const cellOf = (day: number, slot: number): number => day * SLOTS + slot

/** `09:30` for slot 19; the end of the day is `00:00`, as on the wire. */
export function clockOf(slot: number): string {
  const minutes = (slot % SLOTS) * SLOT_MINUTES
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/**
 * Cells that the periods touch; times between half hours, which only the API sets, count for the
 * cells that they lie in.
 */
export function cellsOf(periods: readonly TimePeriod[]): Cells {
  const cells = new Set<number>()
  for (const { id, value } of periods)
    for (const range of value.split(SEPARATOR)) {
      const [, fromHour, fromMinute, toHour, toMinute] = /^(\d\d):(\d\d)~(\d\d):(\d\d)$/.exec(range.trim()) ?? []
      if (fromHour === undefined) continue
      const first = Math.floor((Number(fromHour) * 60 + Number(fromMinute)) / SLOT_MINUTES)
      const end = Math.ceil((Number(toHour) * 60 + Number(toMinute)) / SLOT_MINUTES) || SLOTS
      for (let slot = first; slot < Math.min(end, SLOTS); slot++) cells.add(cellOf(id, slot))
    }
  return cells
}

/** The chosen cells of a day as ranges, joined as on the wire; empty when there are none. */
export function dayText(cells: Cells, day: number): string {
  const ranges: string[] = []
  for (let slot = 0; slot < SLOTS; slot++) {
    if (!cells.has(cellOf(day, slot))) continue
    const first = slot
    while (slot + 1 < SLOTS && cells.has(cellOf(day, slot + 1))) slot++
    ranges.push(`${clockOf(first)}~${clockOf(slot + 1)}`)
  }
  return ranges.join(SEPARATOR)
}

/** Days without a cell are left out. */
export function periodsOf(cells: Cells): TimePeriod[] {
  return WEEK_DAYS.toSorted().flatMap((id) => {
    const value = dayText(cells, id)
    return value ? [{ id, value }] : []
  })
}

export interface CellPlace {
  /** Row of the grid, 0 to 6. */
  row: number
  slot: number
}

/** Adds the rectangle between two corners, or takes it away. */
export function withRectangle(cells: Cells, from: CellPlace, to: CellPlace, add: boolean): Cells {
  const next = new Set(cells)
  for (let row = Math.min(from.row, to.row); row <= Math.max(from.row, to.row); row++)
    for (let slot = Math.min(from.slot, to.slot); slot <= Math.max(from.slot, to.slot); slot++) {
      const cell = cellOf(WEEK_DAYS[row] ?? 0, slot)
      if (add) next.add(cell)
      else next.delete(cell)
    }
  return next
}

export const everyCell = (): Cells => new Set(Array.from({ length: 7 * SLOTS }, (_, cell) => cell))
