/** The used part of noVNC, which comes without types. Those of others are for an older release. */
declare module '@novnc/novnc' {
  /** A line that is not opened by noVNC itself. */
  export interface RawChannel {
    binaryType: string
    readyState: string
    protocol: string
    onopen: (() => void) | null
    onmessage: ((event: { data: ArrayBuffer }) => void) | null
    onclose: ((event: object) => void) | null
    onerror: ((event: object) => void) | null
    send(bytes: ArrayBufferView | ArrayBuffer): void
    close(): void
  }
  export default class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: RawChannel, options?: { shared?: boolean })
    background: string
    viewOnly: boolean
    scaleViewport: boolean
    clipViewport: boolean
    dragViewport: boolean
    resizeSession: boolean
    focusOnClick: boolean
    disconnect(): void
    focus(): void
    blur(): void
    sendCtrlAltDel(): void
    /** X11's number of the key, and the name of its place on the keyboard; both ways without `down`. */
    sendKey(keysym: number, code: string | null, down?: boolean): void
  }
}
