import { type RefObject, type UIEvent, useCallback, useLayoutEffect, useState } from 'react'

/** Rows kept beyond both edges, so that scrolling shows no gaps. */
const SPARE_ROWS = 10

interface View {
  top: number
  height: number
}

/** What of a scrolling box is in view now. */
export const viewOf = (box: HTMLElement): View => ({ top: box.scrollTop, height: box.clientHeight || 600 })

/** The rows in it, and the spare ones. */
export const rowsIn = (view: View, count: number, height: number) => ({
  first: Math.max(0, Math.floor(view.top / height) - SPARE_ROWS),
  last: Math.min(count, Math.ceil((view.top + view.height) / height) + SPARE_ROWS),
})

/** Scrolls a box no further than until a row is in view. */
export function showRow(box: HTMLElement, row: number, { height, above }: { height: number; above: number }): void {
  if (row * height < box.scrollTop) box.scrollTop = row * height
  else if (above + (row + 1) * height > box.scrollTop + box.clientHeight)
    box.scrollTop = above + (row + 1) * height - box.clientHeight
}

interface RowsInView {
  count: number
  /** Height of a row, in pixels. */
  height: number
  /** The row that is kept in view; -1 for none. */
  cursor: number
  /** Pixels of what stays above the rows while they scroll. */
  above?: number
}

/**
 * Which of many rows of the same height must be drawn in a scrolling box: from `first` up to, but
 * not including, `last`.
 */
export function useRowsInView(box: RefObject<HTMLElement | null>, { count, height, cursor, above = 0 }: RowsInView) {
  const [view, setView] = useState<View>({ top: 0, height: 600 })
  const measure = useCallback(() => {
    const element = box.current
    if (element) setView(viewOf(element))
  }, [box])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, measure])
  useLayoutEffect(() => {
    if (box.current && cursor >= 0) showRow(box.current, cursor, { height, above })
  }, [box, cursor, height, above])
  return {
    /** For who scrolls the box by program: what is in view is drawn before anybody sees it. */
    measure,
    ...rowsIn(view, count, height),
    handleScroll: ({ currentTarget }: UIEvent<HTMLElement>) =>
      setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight }),
  }
}
