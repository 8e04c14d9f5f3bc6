import { useEffect, useState } from 'react'

/** A phone gets one code in this time, which counts as long. */
const PAUSE_SECONDS = 60

/** Seconds until the next code may be sent, and how to start counting. */
export function usePause(): [left: number, start: () => void] {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (!left) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return [left, () => setLeft(PAUSE_SECONDS)]
}
