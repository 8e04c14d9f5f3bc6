export interface Sorting {
  /** Number of the column. */
  column: number
  isDescending: boolean
}

/** The order after a click on the head of a column: ascending, descending, then as it came. */
export function nextSorting(now: Sorting | undefined, column: number): Sorting | undefined {
  if (now?.column !== column) return { column, isDescending: false }
  return now.isDescending ? undefined : { column, isDescending: true }
}
