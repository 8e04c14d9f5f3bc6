import { Popover, type PopoverProps } from 'antd'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

interface SidePopoverProps extends Pick<PopoverProps, 'placement' | 'open' | 'onOpenChange'> {
  title: string
  /** What opens it. */
  button: ReactNode
  children: ReactNode
}

/**
 * A box beside its button. It has the focus while it is open, since it comes after everything else
 * in the page, and Escape leads back.
 */
export function SidePopover({ title, button, children, open, onOpenChange, ...place }: SidePopoverProps) {
  const [isOwnOpen, setOwnOpen] = useState(false)
  const isOpen = open ?? isOwnOpen
  const box = useRef<HTMLElement>(null)
  const opener = useRef<Element>(null)
  useLayoutEffect(() => {
    // A choice in it has closed it: the focus would go with it.
    const isLost = !isOpen && box.current?.contains(document.activeElement)
    if (isLost && opener.current instanceof HTMLElement) opener.current.focus()
  }, [isOpen])
  const turn = (isWanted: boolean) => {
    setOwnOpen(isWanted)
    onOpenChange?.(isWanted)
  }
  return (
    <Popover
      {...place}
      trigger="click"
      open={isOpen}
      onOpenChange={turn}
      destroyOnHidden
      content={
        <Content {...{ title, box, opener }} onClose={() => turn(false)}>
          {children}
        </Content>
      }
    >
      {button}
    </Popover>
  )
}

interface ContentProps {
  title: string
  box: RefObject<HTMLElement | null>
  opener: RefObject<Element | null>
  onClose: () => void
  children: ReactNode
}

function Content({ title, box, opener, onClose, children }: ContentProps) {
  useEffect(() => {
    opener.current = document.activeElement
    // It may not have its place yet.
    box.current?.focus({ preventScroll: true })
  }, [box, opener])
  return (
    <section
      className="wt-popover"
      aria-label={title}
      ref={box}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
        if (opener.current instanceof HTMLElement) opener.current.focus()
      }}
    >
      <h2>{title}</h2>
      {children}
    </section>
  )
}
