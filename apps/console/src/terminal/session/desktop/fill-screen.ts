import { type RefObject, useEffect, useState } from 'react'

/** Browsers that let pages have keys that are otherwise their own or the system's. */
interface KeyboardLock {
  lock?: () => Promise<void>
}

/**
 * Fills the screen, or leaves that again; there, Alt+Tab, the Windows key and Escape are the desktop's
 * where the browser can. A browser that does not want to leaves everything as it is.
 */
export async function toggleFullScreen(element: HTMLElement | null): Promise<void> {
  try {
    if (document.fullscreenElement) return await document.exitFullscreen()
    await element?.requestFullscreen()
    // Let go again by the browser as soon as the screen is not filled any more.
    await (navigator as { keyboard?: KeyboardLock }).keyboard?.lock?.()
  } catch {
    // Said by the browser, if by anybody.
  }
}

/** Whether the screen is filled by `element`. Nothing outside of it is seen then. */
export function useFullScreen(element: RefObject<HTMLElement | null>): boolean {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const look = () => setFull(element.current !== null && document.fullscreenElement === element.current)
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [element])
  return isFull
}
