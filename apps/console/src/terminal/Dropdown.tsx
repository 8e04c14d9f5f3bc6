import { Dropdown as AntDropdown, type DropdownProps } from 'antd'
import { useRef, useState } from 'react'
import { isFocusLost } from '../design/focus.ts'

/**
 * The component library's menu, which takes the keyboard when it opens and gives it back when it
 * goes: its own leaves it on what opened the menu, or on nothing where that is no button.
 */
export function Dropdown(props: DropdownProps) {
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<Element>(null)
  return (
    <AntDropdown
      open={isOpen}
      {...props}
      autoFocus
      onOpenChange={(next, info) => {
        if (next) opener.current = document.activeElement
        else if (isFocusLost() || document.activeElement?.closest('[role=menu]'))
          (opener.current as HTMLElement | null)?.focus()
        setOpen(next)
        props.onOpenChange?.(next, info)
      }}
    />
  )
}
