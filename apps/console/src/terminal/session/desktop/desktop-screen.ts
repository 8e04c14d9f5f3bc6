/** A desktop in a box of the page: what comes is drawn, what the person does is sent. Knows no sessions. */
import RFB, { type RawChannel } from '@novnc/novnc'
import type { Key } from './keys.ts'

export interface DesktopScreen {
  /** What the gateway sends, in its order. */
  receive: (bytes: Uint8Array) => void
  focus: () => void
  /** As large as the box, or as large as it is. */
  setScaled: (scaled: boolean) => void
  /** Keys that browsers or systems keep for themselves, pressed together and let go again. */
  press: (keys: readonly Key[]) => void
  dispose: () => void
}

export interface DesktopScreenEvents {
  send: (bytes: Uint8Array) => void
  /** What came can't be drawn. */
  onFailed: () => void
}

/** Opens the viewer in `box`; a `read-only` one shows, and sends nothing but that it wants more. */
export function openDesktop(
  box: HTMLElement,
  { send, onFailed }: DesktopScreenEvents,
  mode?: 'read-only',
): DesktopScreen {
  let isOver = false
  const channel: RawChannel = {
    binaryType: 'arraybuffer',
    readyState: 'open',
    protocol: '',
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
    // Not at once: the viewer would be told something while it still speaks.
    send: (bytes) => {
      const copy = new Uint8Array(
        ArrayBuffer.isView(bytes)
          ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
          : bytes.slice(0),
      )
      queueMicrotask(() => !isOver && send(copy))
    },
    close: () => {
      channel.readyState = 'closed'
      queueMicrotask(() => channel.onclose?.({ code: 1000, reason: '', wasClean: true }))
    },
  }
  const viewer = new RFB(box, channel, { shared: true })
  viewer.background = 'transparent'
  viewer.scaleViewport = true
  viewer.viewOnly = mode === 'read-only'
  viewer.resizeSession = mode !== 'read-only'
  viewer.addEventListener('disconnect', () => {
    if (isOver) return
    isOver = true
    onFailed()
  })
  return {
    receive(bytes) {
      if (!isOver) channel.onmessage?.({ data: bytes.slice().buffer })
    },
    focus: () => viewer.focus(),
    setScaled(scaled) {
      viewer.scaleViewport = scaled
      viewer.resizeSession = scaled && mode !== 'read-only'
    },
    press(keys) {
      for (const [keysym, code] of keys) viewer.sendKey(keysym, code, true)
      for (const [keysym, code] of keys.toReversed()) viewer.sendKey(keysym, code, false)
      viewer.focus()
    },
    dispose() {
      isOver = true
      viewer.disconnect()
    },
  }
}
