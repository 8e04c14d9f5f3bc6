import { useRef } from 'react'
import { askToLeave } from '../../navigation/unsaved.ts'

/**
 * How a dialog with a form in it is closed: `close`, by Escape, a press beside it or a button, asks
 * first, once, when the form has told `setDirty` that it holds input which is not saved.
 */
export function useDialogClose(onClose: () => void) {
  const isDirty = useRef(false)
  const isAsking = useRef(false)
  const setDirty = useRef((now: boolean) => {
    isDirty.current = now
  })
  const close = async () => {
    if (isAsking.current) return
    if (isDirty.current) {
      isAsking.current = true
      const leave = await askToLeave()
      isAsking.current = false
      if (!leave) return
    }
    onClose()
  }
  return { close: () => void close(), setDirty: setDirty.current }
}
