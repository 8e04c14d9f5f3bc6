import { type CSSProperties, type HTMLAttributes, type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import type { Side } from '../tip.ts'

/** Pixels between the box and what it belongs to, and between it and the edge of the screen. */
const GAP = 4
const EDGE = 8

/** Pixels from the left and the top of the window. */
export interface Point {
  x: number
  y: number
}

export interface PopupProps extends HTMLAttributes<HTMLDivElement> {
  /** The box is where it belongs: time to give the focus to something in it. */
  onOpen?: (box: HTMLElement) => void
  /** The element that it belongs to, at which it stands. It gets the focus back at Escape. */
  anchor: HTMLElement
  /** Where the pointer was, for a box that opens there instead of at its anchor. */
  point?: Point | undefined
  side?: Side
  /** Escape was pressed, or something outside was, or has the focus now. */
  onClose: () => void
}

/**
 * A box above everything else, at what opened it. It is drawn at its place in the document, so
 * the Tab key comes to it right after its opener. Give the focus to something in it when it opens.
 */
export function Popup(props: PopupProps) {
  const { anchor, point, side = 'below', onOpen, onClose, className = '', children, ...rest } = props
  const box = useRef<HTMLDivElement>(null)
  const opened = useRef(onOpen)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    raise(element)
    const at = () =>
      point ? { left: point.x, right: point.x, top: point.y, bottom: point.y } : anchor.getBoundingClientRect()
    const place = () => placeAt(element, at(), side)
    place()
    opened.current?.(element)
    // Its contents come later, and a list becomes shorter while it is searched.
    const resized = globalThis.ResizeObserver && new ResizeObserver(place)
    resized?.observe(element)
    window.addEventListener('resize', place)
    document.addEventListener('scroll', place, true)
    return () => {
      resized?.disconnect()
      window.removeEventListener('resize', place)
      document.removeEventListener('scroll', place, true)
    }
  }, [anchor, point, side])
  useEffect(() => {
    const isOutside = (target: EventTarget | null) =>
      target instanceof Node && !box.current?.contains(target) && !(anchor.contains(target) && !point)
    const press = ({ target }: Event) => isOutside(target) && close.current()
    document.addEventListener('pointerdown', press, true)
    document.addEventListener('focusin', press)
    return () => {
      document.removeEventListener('pointerdown', press, true)
      document.removeEventListener('focusin', press)
    }
  }, [anchor, point])
  const handleKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    rest.onKeyDown?.(event)
    if (event.key !== 'Escape') return
    // A dialog that it is in stays open.
    event.stopPropagation()
    anchor.focus()
    onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of what is inside
    <div {...rest} ref={box} className={`popup ${className}`} onKeyDown={handleKeyDown}>
      {children}
    </div>
  )
}

type Place = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Over everything else, dialogs and what fills the screen too, in browsers that know of it. */
export function raise(box: HTMLElement): void {
  if (!box.showPopover) return
  box.popover = 'manual'
  box.showPopover()
}

/**
 * Puts a box where it fits: below or above the place that it belongs to, or beside it, at its end
 * or before it; never over the edge of the screen.
 */
export function placeAt(box: HTMLElement, at: Place, side: Side): void {
  Object.assign(box.style, placeOf(box, at, side))
}

function placeOf(box: HTMLElement, at: Place, side: Side): CSSProperties {
  const { offsetWidth: width, offsetHeight: height } = box
  const within = (start: number, size: number, room: number) =>
    `${Math.max(EDGE, Math.min(start, room - size - EDGE))}px`
  if (side !== 'below') {
    const left = side === 'beside' ? at.right + GAP : at.left - GAP - width
    return { left: within(left, width, innerWidth), top: within(at.top, height, innerHeight) }
  }
  // Under the end of its anchor where the rest of the line is too short.
  const left = at.left + width + EDGE > innerWidth ? at.right - width : at.left
  const [above, below] = [at.top - GAP - height, at.bottom + GAP]
  const isTooLow = below + height + EDGE > innerHeight && above >= EDGE
  return { left: within(left, width, innerWidth), top: within(isTooLow ? above : below, height, innerHeight) }
}
