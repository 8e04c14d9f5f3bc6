import type { DESKTOP } from '@sallyport/contract/socket/desktop.ts'
import { type RefObject, useEffect } from 'react'
import type { LineOf } from '../../pane/own-line.ts'

/** The gateway takes no larger screens. */
const MAX = { width: 4096, height: 2304 }
/** A window that is being dragged settles first. */
const SETTLED_MS = 300

/** The size that a machine is asked to give its screen. */
export interface WantedSize {
  width: number
  height: number
  /** Per cent by which letters and buttons are to be larger, so that they are as large as elsewhere. */
  scale: number
}

/** As large as the box: in the dots of this screen, or else in the larger ones that pages count in. */
export function wantedSize(box: HTMLElement | null, isSharp: boolean): WantedSize | undefined {
  if (!box?.clientWidth || !box.clientHeight) return undefined
  const ratio = isSharp ? devicePixelRatio : 1
  const width = Math.min(MAX.width, Math.floor(box.clientWidth * ratio))
  const height = Math.min(MAX.height, Math.floor(box.clientHeight * ratio))
  return { width, height, scale: Math.min(500, Math.max(100, Math.round(ratio * 100))) }
}

/** The machine's screen follows the box, where it can. */
export function useFollowedSize(
  box: RefObject<HTMLElement | null>,
  line: RefObject<LineOf<typeof DESKTOP> | undefined>,
  isSharp: boolean,
  isOn: boolean,
): void {
  useEffect(() => {
    const element = box.current
    if (!isOn || !element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = ''
    const follow = () => {
      const size = wantedSize(element, isSharp)
      if (!size || JSON.stringify(size) === last) return
      last = JSON.stringify(size)
      line.current?.message('DESKTOP_SIZE', size)
    }
    const settle = () => {
      clearTimeout(timer)
      timer = setTimeout(follow, SETTLED_MS)
    }
    const watcher = new ResizeObserver(settle)
    watcher.observe(element)
    // A window that is moved to another screen keeps its size, and has other dots.
    addEventListener('resize', settle)
    return () => {
      clearTimeout(timer)
      watcher.disconnect()
      removeEventListener('resize', settle)
    }
  }, [box, line, isSharp, isOn])
}
