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

interface RowsInView {
  count: number
  /** Of one row, in pixels. */
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
    const element = box.current
    if (!element || cursor < 0) return
    if (cursor * height < element.scrollTop) element.scrollTop = cursor * height
    else if (above + (cursor + 1) * height > element.scrollTop + element.clientHeight)
      element.scrollTop = above + (cursor + 1) * height - element.clientHeight
  }, [box, cursor, height, above])
  return {
    /** For who scrolls the box by program: what is in view is drawn before anybody sees it. */
    measure,
    ...rowsIn(view, count, height),
    handleScroll: ({ currentTarget }: UIEvent<HTMLElement>) =>
      setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight }),
  }
}
