import { type RefObject, useEffect, useRef } from 'react'
import { isFocusLost } from '../../design/focus.ts'

/**
 * When what stood in its place or beside it has gone with the focus, a list has it; and what is
 * `opened`, where that hides the list.
 */
export function useFocusBack(box: RefObject<HTMLElement | null>, list: string, isOpen: boolean, opened?: string): void {
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    const wanted = isOpen ? opened : list
    if (wasOpen.current !== isOpen && wanted && isFocusLost())
      box.current?.querySelector<HTMLElement>(wanted)?.focus({ preventScroll: true })
    wasOpen.current = isOpen
  }, [box, list, isOpen, opened])
}
