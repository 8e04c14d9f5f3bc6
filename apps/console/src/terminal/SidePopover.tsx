import { Popover, type PopoverProps } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'

interface SidePopoverProps extends Pick<PopoverProps, 'placement' | 'open' | 'onOpenChange'> {
  title: string
  /** What opens it. */
  button: ReactNode
  children: ReactNode
}

/**
 * A box beside its button. It has the focus while it is open, since it stands behind everything else
 * in the page, and Escape leads back.
 */
export function SidePopover({ title, button, children, open, onOpenChange, ...place }: SidePopoverProps) {
  const [isOwnOpen, setOwnOpen] = useState(false)
  const isOpen = open ?? isOwnOpen
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
        <Content title={title} onClose={() => turn(false)}>
          {children}
        </Content>
      }
    >
      {button}
    </Popover>
  )
}

function Content({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const box = useRef<HTMLElement>(null)
  const opener = useRef<Element>(null)
  useEffect(() => {
    opener.current = document.activeElement
    // It may not have its place yet.
    box.current?.focus({ preventScroll: true })
  }, [])
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
