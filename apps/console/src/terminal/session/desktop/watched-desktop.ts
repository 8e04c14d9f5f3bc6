import type { DesktopScreen, DesktopScreenEvents } from './desktop-screen.ts'

/**
 * Somebody else's desktop in `box`, once it is known to be one. What comes before the viewer waits.
 * `keys`: it may be handed over, and is typed into then.
 */
export function watchedDesktop(
  box: HTMLElement,
  send: (bytes: Uint8Array) => void,
  keys?: Required<Pick<DesktopScreenEvents, 'label' | 'onLeave'>>,
) {
  let isOn = false
  let isOver = false
  let isReadOnly = true
  let screen: DesktopScreen | undefined
  const early: Uint8Array[] = []
  return {
    get isOn() {
      return isOn
    },
    begin() {
      isOn = true
      void import('./desktop-screen.ts').then(({ openDesktop }) => {
        if (isOver) return
        screen = openDesktop(box, { send, onFailed: () => {}, ...keys }, 'read-only')
        screen.setReadOnly(isReadOnly)
        for (const bytes of early.splice(0)) screen.receive(bytes)
        if (!isReadOnly) screen.focus()
      })
    },
    receive(bytes: Uint8Array) {
      if (screen) screen.receive(bytes)
      else early.push(bytes)
    },
    /** The owner has given control, or has taken it back. */
    setReadOnly(readOnly: boolean) {
      isReadOnly = readOnly
      screen?.setReadOnly(readOnly)
      if (!readOnly) screen?.focus()
    },
    end() {
      isOver = true
      screen?.dispose()
    },
  }
}
