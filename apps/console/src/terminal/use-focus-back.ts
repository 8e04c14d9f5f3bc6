import { type RefObject, useEffect, useRef } from 'react'
import { isFocusLost } from '../design/focus.ts'

/** When what stood in its place or beside it has gone with the focus, a list has it. */
export function useFocusBack(box: RefObject<HTMLElement | null>, list: string, isOpen: boolean): void {
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) box.current?.querySelector<HTMLElement>(list)?.focus()
    wasOpen.current = isOpen
  }, [box, list, isOpen])
}
