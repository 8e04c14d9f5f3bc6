import type { DESKTOP } from '@sallyport/contract/socket/desktop.ts'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { LineOf } from '../../pane/own-line.ts'

const EVERY_MS = 5000

/** How long a word to the gateway and back takes, asked every few seconds while somebody looks. */
export function useLineDelay(line: RefObject<Pick<LineOf<typeof DESKTOP>, 'ping'> | undefined>, isOn: boolean) {
  const [ms, setMs] = useState<number>()
  const asked = useRef<number>(undefined)
  const heard = useCallback(() => {
    if (asked.current === undefined) return
    setMs(Math.max(1, Math.round(performance.now() - asked.current)))
    asked.current = undefined
  }, [])
  useEffect(() => {
    if (!isOn) return setMs(undefined)
    const ask = () => {
      // One that is slow to answer is waited for: its answer would be taken for that of the next.
      if (document.visibilityState !== 'visible' || asked.current !== undefined) return
      asked.current = performance.now()
      line.current?.ping()
    }
    ask()
    const timer = setInterval(ask, EVERY_MS)
    return () => {
      clearInterval(timer)
      asked.current = undefined
    }
  }, [line, isOn])
  return { ms, heard }
}
