import { type CSSProperties, type HTMLAttributes, type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'

/** Pixels between the box and what it belongs to, and between it and the edge of the screen. */
const GAP = 4
const EDGE = 8

export interface PopupProps extends HTMLAttributes<HTMLDivElement> {
  /** The box is where it belongs: time to give the focus to something in it. */
  onOpen?: (box: HTMLElement) => void
  /** The element that it belongs to, under or beside it. It gets the focus back at Escape. */
  anchor: HTMLElement
  side?: 'below' | 'beside'
  /** Escape was pressed, or something outside was, or has the focus now. */
  onClose: () => void
}

/**
 * A box above everything else, at what opened it. It is drawn at its place in the document, so
 * the Tab key comes to it right after its opener. Give the focus to something in it when it opens.
 */
export function Popup({ anchor, side = 'below', onOpen, onClose, className = '', children, ...rest }: PopupProps) {
  const box = useRef<HTMLDivElement>(null)
  const opened = useRef(onOpen)
  const close = useRef(onClose)
  close.current = onClose
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    // Over dialogs too, in browsers that know of it.
    if (element.showPopover) {
      element.popover = 'manual'
      element.showPopover()
    }
    const place = () => Object.assign(element.style, placeOf(element, anchor.getBoundingClientRect(), side))
    place()
    opened.current?.(element)
    window.addEventListener('resize', place)
    document.addEventListener('scroll', place, true)
    return () => {
      window.removeEventListener('resize', place)
      document.removeEventListener('scroll', place, true)
    }
  }, [anchor, side])
  useEffect(() => {
    const isOutside = (target: EventTarget | null) =>
      target instanceof Node && !box.current?.contains(target) && !anchor.contains(target)
    const press = ({ target }: Event) => isOutside(target) && close.current()
    document.addEventListener('pointerdown', press, true)
    document.addEventListener('focusin', press)
    return () => {
      document.removeEventListener('pointerdown', press, true)
      document.removeEventListener('focusin', press)
    }
  }, [anchor])
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

/** Where the box fits: below or above its anchor, or beside it; never over the edge of the screen. */
function placeOf(box: HTMLElement, at: DOMRect, side: 'below' | 'beside'): CSSProperties {
  const { offsetWidth: width, offsetHeight: height } = box
  const within = (start: number, size: number, room: number) =>
    `${Math.max(EDGE, Math.min(start, room - size - EDGE))}px`
  if (side === 'beside')
    return { left: within(at.right + GAP, width, innerWidth), top: within(at.top, height, innerHeight) }
  // Under the end of its anchor where the rest of the line is too short.
  const left = at.left + width + EDGE > innerWidth ? at.right - width : at.left
  const [above, below] = [at.top - GAP - height, at.bottom + GAP]
  const isTooLow = below + height + EDGE > innerHeight && above >= EDGE
  return { left: within(left, width, innerWidth), top: within(isTooLow ? above : below, height, innerHeight) }
}
