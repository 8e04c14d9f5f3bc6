import { createContext, type RefObject, useContext, useEffect } from 'react'

/** The function that the dialog around it calls instead of closing. */
export const DialogGuard = createContext<RefObject<(() => void) | undefined> | undefined>(undefined)

/**
 * For content of a dialog that asks before it is closed: Escape and the cross call this function
 * instead of closing the dialog.
 */
export function useDialogGuard(close: () => void): void {
  const guard = useContext(DialogGuard)
  useEffect(() => {
    if (!guard) return
    guard.current = close
    return () => {
      guard.current = undefined
    }
  })
}
