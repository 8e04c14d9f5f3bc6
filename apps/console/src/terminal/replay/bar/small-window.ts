/**
 * The player in a small window above all others (Document Picture-in-Picture). Browsers without it have no
 * button for it.
 */
interface DocumentPictureInPicture {
  requestWindow: (size: { width: number; height: number }) => Promise<Window>
}

const SIZE = { width: 520, height: 340 } as const

const pictureInPicture = () =>
  (window as { documentPictureInPicture?: DocumentPictureInPicture }).documentPictureInPicture

export const hasSmallWindow = (): boolean => pictureInPicture() !== undefined

export interface SmallWindow {
  /** Where the player is now: its clock and its keys are those of that window. */
  current: () => Window
  toggle: () => void
  close: () => void
}

/** Moves `element` to a small window and back to its place; `onMoved` is called behind each. */
export function smallWindow(element: HTMLElement, onMoved: (to: Window) => void): SmallWindow {
  let opened: Window | undefined
  const open = async () => {
    const there = await pictureInPicture()?.requestWindow(SIZE)
    if (!there) return
    opened = there
    const place = document.createComment('the player')
    element.before(place)
    // As the page looks: its sheets are of the same origin.
    for (const style of document.querySelectorAll('style, link[rel=stylesheet]'))
      there.document.head.append(style.cloneNode(true))
    there.document.body.append(element)
    there.addEventListener('pagehide', () => {
      opened = undefined
      if (place.isConnected) place.replaceWith(element)
      onMoved(window)
    })
    onMoved(there)
  }
  return {
    current: () => opened ?? window,
    toggle: () => (opened ? opened.close() : void open().catch(() => {})),
    close: () => opened?.close(),
  }
}
