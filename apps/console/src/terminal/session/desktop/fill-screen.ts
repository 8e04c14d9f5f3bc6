/** Of browsers that let pages have keys that are otherwise their own or the system's. */
interface KeyboardLock {
  lock?: () => Promise<void>
}

/** Fills the screen; there, Alt+Tab, the Windows key and Escape are the desktop's where the browser can. */
export async function fillScreen(element: HTMLElement | null): Promise<void> {
  await element?.requestFullscreen?.()
  // Let go again by the browser as soon as the screen is not filled any more.
  await (navigator as { keyboard?: KeyboardLock }).keyboard?.lock?.().catch(() => {})
}
