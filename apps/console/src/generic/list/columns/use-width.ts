import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Beside the content of a page with an open sidebar: to the pixel, or every first list is drawn twice. */
const FRAME_WIDTH = 259

/** Beside a tree, and alone. */
const last = new Map<boolean, number>()

/** Width of the tree beside a list, as the style sheet has it (with-tree.css). */
const TREE = { share: 0.2, least: 240, most: 320, gap: 16 }

/** Before any is measured. */
function firstGuess(isBesideTree: boolean): number {
  const page = Math.max(window.innerWidth - FRAME_WIDTH, 0)
  if (!isBesideTree) return page
  const tree = Math.min(Math.max(Math.floor(page * TREE.share), TREE.least), TREE.most)
  return Math.max(page - tree - TREE.gap, 0)
}

/**
 * How wide an element is, in whole pixels, also when that changes. Until it is measured: as the one
 * before in the same place. Columns that are drawn for another width would move, for Chromium paints
 * them once before it takes the new ones.
 */
export function useWidth(element: RefObject<HTMLElement | null>, isBesideTree = false): number {
  const [width, setWidth] = useState(() => last.get(isBesideTree) ?? firstGuess(isBesideTree))
  useLayoutEffect(() => {
    if (!element.current) return
    let isFirst = true
    const observer = new ResizeObserver(([entry]) => {
      const now = Math.floor(entry?.contentRect.width ?? 0)
      // Out of sight it has none.
      if (now <= 0) return
      last.set(isBesideTree, now)
      // The browser tells it between layout and paint: beside a tree it is less than was guessed,
      // and columns would move. To ask for it here would lay the whole page out within the task
      // that has just drawn it, which on a slow machine took half of that task.
      if (isFirst) flushSync(() => setWidth(now))
      else setWidth(now)
      isFirst = false
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isBesideTree])
  return width
}
