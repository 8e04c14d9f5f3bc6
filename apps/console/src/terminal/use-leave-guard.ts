import { useEffect } from 'react'

/** The browser asks before leaving while `active`, when this is the top window. */
export function useLeaveGuard(active: boolean): void {
  useEffect(() => {
    if (!active || window.top !== window) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [active])
}
