import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Beside the content of a page with an open sidebar: to the pixel, or every first list is drawn twice. */
const FRAME_WIDTH = 259

let last: number | undefined

/**
 * How wide an element is, in whole pixels, also when that changes. Until it is measured: as the one
 * before, which stood in the same place most of the time.
 */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => last ?? Math.max(window.innerWidth - FRAME_WIDTH, 0))
  useLayoutEffect(() => {
    if (!element.current) return
    let isFirst = true
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.floor(entry?.contentRect.width ?? 0)
      // Out of sight it has none.
      if (now <= 0) return
      last = now
      // The browser tells it between layout and paint: beside a tree it is less than was guessed,
      // and columns would move. To ask for it here would lay the whole page out within the task
      // that has just drawn it, which on a slow machine took half of that task.
      if (isFirst) flushSync(() => setWidth(now))
      else setWidth(now)
      isFirst = false
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
