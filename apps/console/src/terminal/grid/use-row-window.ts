import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { isFull, type ResultView, shownOf } from './result-view.ts'
import { rowsIn, useRowsInView, viewOf } from './use-rows-in-view.ts'

/** The next rows are asked for when so many are left in their direction. */
const AHEAD_ROWS = 100

/** Rows that came before: those that end before one, or begin with it. */
export type RowsWanted = { from: number } | { to: number }

interface RowWindow {
  result: ResultView
  /** How many of the rows are shown. */
  count: number
  /** Height of a row, in pixels. */
  height: number
  /** As they came, and all of them: only then the window moves as somebody scrolls. */
  isInOrder: boolean
  /** Rows are loaded without scrolling. */
  isLoadingOn: boolean
  /** Somebody looks for some of the loaded rows: no more come by themselves. */
  isFiltered: boolean
  onMore: () => void
  onAgain: ((wanted: RowsWanted) => void) | undefined
}

/**
 * Which rows of a window must be drawn, as `useRowsInView` has it. Asks for those next to the window before
 * somebody scrolls there, and keeps what is in view in its place while the window moves.
 */
export function useRowWindow(box: RefObject<HTMLElement | null>, parts: RowWindow) {
  const { result, count, height, isInOrder, isLoadingOn, isFiltered, onMore, onAgain } = parts
  const { rows, before = 0, isHeld, isAsking = false } = result
  const { first, last, measure, handleScroll } = useRowsInView(box, { count, height, cursor: -1 })
  /** Where somebody scrolls, and where in the result that was. */
  const scrolled = useRef<{ at: number; isUpward: boolean }>({ at: 0, isUpward: false })

  const isBehind = before + rows.length < shownOf(result)
  const isWindowFull = isFull(result)
  const isMoving = onAgain !== undefined && isInOrder
  // With few long rows both ends are near: a full window moves where somebody scrolls.
  const ahead = Math.min(AHEAD_ROWS, Math.floor(rows.length / 4))
  const { isUpward } = scrolled.current
  const wanted = (view: { first: number; last: number }): 'above' | 'below' | undefined => {
    const mayMove = isMoving && !isAsking
    const isAbove = rows.length > 0 && before > (result.first ?? 0) && view.first < ahead
    if (mayMove && isAbove && (isUpward || !isWindowFull)) return 'above'
    const isNearEnd = !isFiltered && view.last >= count - ahead
    const isWanted = isWindowFull ? isMoving && isNearEnd && !isUpward : isLoadingOn || isNearEnd
    return isWanted && (isBehind ? !isAsking : isHeld) ? 'below' : undefined
  }
  const wants = wanted({ first, last })
  const end = before + rows.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is wanted
  useEffect(() => {
    // A window that has just moved has scrolled since it was drawn.
    const still = box.current && wanted(rowsIn(viewOf(box.current), count, height))
    if (wants === undefined || wants !== still) return
    if (wants === 'above') onAgain?.({ to: before })
    else if (isBehind) onAgain?.({ from: end })
    else onMore()
  }, [wants, isBehind, before, end, onMore, onAgain])

  const drawn = useRef({ before, isEmpty: rows.length === 0 })
  useLayoutEffect(() => {
    const { before: earlier, isEmpty } = drawn.current
    drawn.current = { before, isEmpty: rows.length === 0 }
    const element = box.current
    if (!element || (earlier === before && rows.length)) return
    if (!rows.length) element.scrollTop = 0
    else if (!isEmpty && isInOrder) element.scrollTop += (earlier - before) * height
    measure()
  }, [box, before, rows.length, height, isInOrder, measure])

  return {
    first,
    last,
    handleScroll(event: UIEvent<HTMLElement>) {
      const at = before * height + event.currentTarget.scrollTop
      // Scrolling by the window itself leaves that as it is.
      if (at !== scrolled.current.at) scrolled.current = { at, isUpward: at < scrolled.current.at }
      handleScroll(event)
    },
  }
}
