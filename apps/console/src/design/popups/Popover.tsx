import { cloneElement, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ButtonProps } from '../Button.tsx'
import { isFocusLost } from '../focus.ts'
import type { Side } from '../tip.ts'
import styles from './Popover.module.css'
import { Popup } from './Popup.tsx'

interface PopoverProps {
  title: string
  /** What opens and closes it. */
  button: ReactElement<ButtonProps>
  side?: Side
  /** Where the one who draws it opens and closes it too. */
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  children: ReactNode
}

/**
 * A box at its button, with a title and anything else inside. It has the focus when it opens;
 * Escape, and a choice in it that closes it, lead back to the button.
 */
export function Popover({ title, button, side = 'below', isOpen, onOpenChange, children }: PopoverProps) {
  const [isOwnOpen, setOwnOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isShown = isOpen ?? isOwnOpen
  const wasShown = useRef(isShown)
  useEffect(() => {
    // The pressed element has gone along, and the focus with it.
    if (wasShown.current && !isShown && isFocusLost()) opener.current?.focus()
    wasShown.current = isShown
  }, [isShown])
  const turn = (isWanted: boolean) => {
    setOwnOpen(isWanted)
    onOpenChange?.(isWanted)
  }
  return (
    <>
      {cloneElement(button, {
        ref: opener,
        'aria-haspopup': 'dialog',
        'aria-expanded': isShown,
        onClick: () => turn(!isShown),
      })}
      {isShown && opener.current && (
        <Popup
          anchor={opener.current}
          side={side}
          role="dialog"
          aria-label={title}
          tabIndex={-1}
          className={styles.popover}
          onOpen={(box) => box.focus({ preventScroll: true })}
          onClose={() => turn(false)}
        >
          <h2 className={styles.title}>{title}</h2>
          {children}
        </Popup>
      )}
    </>
  )
}
