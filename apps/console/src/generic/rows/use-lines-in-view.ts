import { type RefObject, useLayoutEffect, useState } from 'react'

/** Up to so many lines all are drawn. */
export const ALL_DRAWN = 100
/** Beyond both edges, so that scrolling shows no gaps. */
const SPARE = 20

const scrolls = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowY)

function scrollerOf(element: HTMLElement): Element {
  let parent = element.parentElement
  while (parent && !scrolls(parent)) parent = parent.parentElement
  return parent ?? document.documentElement
}

/**
 * Which lines of one height must be drawn in a box that something around it scrolls: from `first`
 * up to, but not including, `last`.
 */
export function useLinesInView(box: RefObject<HTMLElement | null>, count: number): { first: number; last: number } {
  const [view, setView] = useState({ first: 0, last: ALL_DRAWN })
  const isLong = count > ALL_DRAWN
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !isLong) return
    const scroller = scrollerOf(element)
    const measure = () => {
      const { top, height } = element.getBoundingClientRect()
      // Out of sight, as in a page behind another one.
      if (height === 0) return
      const line = height / count
      const above = Math.max(0, scroller.getBoundingClientRect().top) - top
      const first = Math.max(0, Math.floor(above / line) - SPARE)
      const last = Math.ceil((above + scroller.clientHeight) / line) + SPARE
      setView((now) => (now.first === first && now.last === last ? now : { first, last }))
    }
    measure()
    const target = scroller === document.documentElement ? document : scroller
    target.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(scroller)
    return () => {
      target.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [box, isLong, count])
  return isLong ? { first: view.first, last: Math.min(count, view.last) } : { first: 0, last: count }
}
