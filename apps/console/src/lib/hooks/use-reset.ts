import { useEffect } from 'react'

/** Takes a state back that is to be seen for a while only; `isShown` while it is. */
export function useReset(isShown: boolean, reset: () => void, afterMs: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time begins when it is shown, not with each drawing
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(reset, afterMs)
    return () => clearTimeout(timer)
  }, [isShown])
}
