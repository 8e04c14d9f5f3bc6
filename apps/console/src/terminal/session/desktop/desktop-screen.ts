/** A desktop in a box of the page: what comes is drawn, what the person does is sent. Knows no sessions. */
import RFB, { type RawChannel } from '@novnc/novnc'
import { keysymOf, openKeyField } from './key-field.ts'
import type { Key } from './keys.ts'

export interface DesktopScreen {
  /** Frames of the gateway, in order. */
  receive: (bytes: Uint8Array) => void
  focus: () => void
  /** As large as the box, or as large as it is. */
  setScaled: (scaled: boolean) => void
  /** Whether keys and pointer are sent. */
  setReadOnly: (readOnly: boolean) => void
  /** Shows the keyboard of a phone. */
  showKeyboard: () => void
  /** Keys that browsers or systems keep for themselves, pressed together and let go again. */
  press: (keys: readonly Key[]) => void
  dispose: () => void
}

export interface DesktopScreenEvents {
  send: (bytes: Uint8Array) => void
  /** What came can't be drawn. */
  onFailed: () => void
  /** The person wants to be back at the page. */
  onLeave?: () => void
  /** The desktop's name for those who don't see it. */
  label?: string
}

/**
 * Opens the viewer in `box`; a `read-only` one shows, and sends nothing but that it wants more, until
 * told otherwise. One with a `label` can be typed into.
 */
export function openDesktop(
  box: HTMLElement,
  { send, onFailed, onLeave, label }: DesktopScreenEvents,
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
    // Not at once: the viewer would get a message while it still sends its own.
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
  const canvas = box.querySelector('canvas') as HTMLCanvasElement
  const type = (text: string) => {
    for (const character of text) {
      viewer.sendKey(keysymOf(character), null, true)
      viewer.sendKey(keysymOf(character), null, false)
    }
  }
  const field = label ? openKeyField(box, canvas, label, { type, leave: () => onLeave?.() }) : undefined
  field?.setOn(!viewer.viewOnly)
  // The field has the keyboard.
  if (field) viewer.focusOnClick = false
  viewer.addEventListener('disconnect', () => {
    if (isOver) return
    isOver = true
    onFailed()
  })
  return {
    receive(bytes) {
      if (!isOver) channel.onmessage?.({ data: bytes.slice().buffer })
    },
    focus: () => (field ?? viewer).focus(),
    setScaled(scaled) {
      viewer.scaleViewport = scaled
    },
    setReadOnly(readOnly) {
      // Keys are let go while that still counts.
      field?.setOn(!readOnly)
      viewer.viewOnly = readOnly
    },
    showKeyboard: () => field?.showKeyboard(),
    press(keys) {
      for (const [keysym, code] of keys) viewer.sendKey(keysym, code, true)
      for (const [keysym, code] of keys.toReversed()) viewer.sendKey(keysym, code, false)
      ;(field ?? viewer).focus()
    },
    dispose() {
      isOver = true
      field?.dispose()
      viewer.disconnect()
    },
  }
}
