import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/** Beside the content of a page: sidebar and its padding. */
const FRAME_WIDTH = 264

let last: number | undefined

/**
 * How wide an element is, in whole pixels, also when that changes. Until it is measured: as the one
 * before, which stood in the same place most of the time.
 */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => last ?? Math.max(window.innerWidth - FRAME_WIDTH, 0))
  // Before anything is painted: beside a tree it is less than was guessed, and columns would move.
  useLayoutEffect(() => {
    const now = Math.floor(element.current?.getBoundingClientRect().width ?? 0)
    if (now > 0) setWidth(now)
  }, [element])
  useEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      last = Math.floor(entry.contentRect.width)
      setWidth(last)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
