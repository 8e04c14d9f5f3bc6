/** Widths that follow from what the cells of the page hold. */
import type { ColumnRoom } from './column-room.ts'
import { columnWidths, TICK_WIDTH } from './fit-columns.ts'

/** The room that the cells of a column need to be read whole, in pixels with their padding. */
export interface ColumnNeed {
  /** The widest cell; 0 where no row of the page has anything in the column. */
  content: number
  /** The head, on as many lines as it has words. */
  head: number
}

interface NeedyColumn extends ColumnRoom {
  key: string
}

/** One long text does not take everything: no column asks for more than this part of the table. */
const MOST = 0.45

interface Fit {
  key: string
  width: number
  /** What it would be, were there room for all. */
  wanted: number
  /** Its part of room that nobody needs. */
  grow: number
}

/**
 * Widths by key. Columns begin with the room that their kind usually wants (`columnWidths`). One
 * that is empty on the whole page steps back to its head. Those with more than they need give to
 * those whose text is cut, and before that to a table that would have to scroll. Where nothing is
 * cut and nothing empty, every column stays where it was before its rows came.
 */
export function fitToContent(
  columns: readonly NeedyColumn[],
  needs: ReadonlyMap<string, ColumnNeed>,
  { room, hasTicks }: { room: number; hasTicks: boolean },
): ReadonlyMap<string, number> {
  const usual = columnWidths(columns, { room, hasTicks })
  const own = room - (hasTicks ? TICK_WIDTH : 0)
  const most = Math.floor(own * MOST)
  const fits = columns.map(({ key, width, grow = 1 }): Fit => {
    const base = usual.get(key) ?? 0
    const need = needs.get(key)
    if (!need) return { key, width: base, wanted: base, grow: 0 }
    if (need.content === 0) return { key, width: Math.min(base, need.head), wanted: Math.min(base, need.head), grow: 0 }
    return {
      key,
      width: base,
      wanted: Math.max(need.head, Math.min(need.content, Math.max(most, base))),
      grow: width ? 0 : grow,
    }
  })
  const shortOf = ({ width, wanted }: Fit) => Math.max(0, wanted - width)
  const spareOf = ({ width, wanted }: Fit) => Math.max(0, width - wanted)
  // What empty columns have left is nobody's; below zero the table is wider than its place.
  const free = own - sum(fits, ({ width }) => width)
  const short = sum(fits, shortOf)
  const spare = sum(fits, spareOf)
  const taken = Math.min(spare, Math.max(0, short - free))
  const given = Math.max(0, Math.min(short, free + taken))
  const rest = Math.max(0, free + taken - given)
  const parts = sum(fits, ({ grow }) => grow)
  const widths = fits.map((fit) => {
    const part = (of: number, amount: number, all: number) => (all === 0 ? 0 : (of * amount) / all)
    const change =
      part(shortOf(fit), given, short) - part(spareOf(fit), taken, spare) + (free > 0 ? part(fit.grow, rest, parts) : 0)
    return [fit.key, Math.floor(fit.width + change)] as const
  })
  return new Map(widths)
}

const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((all, item) => all + of(item), 0)
