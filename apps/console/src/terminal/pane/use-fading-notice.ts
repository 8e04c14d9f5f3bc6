import { useEffect } from 'react'

/** Words of the session stay so long, unless others come. */
const NOTICE_MS = 8000

export interface FadingNotice {
  notice: string | undefined
  /** Nothing follows that notice: it stays. */
  isLast: boolean
}

/** Takes a notice away again that others may follow. */
export function useFadingNotice<T extends FadingNotice>(
  { notice, isLast }: T,
  setNotice: (change: (now: T) => T) => void,
): void {
  useEffect(() => {
    if (!notice || isLast) return
    const timer = setTimeout(() => setNotice((now) => ({ ...now, notice: undefined })), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [notice, isLast, setNotice])
}
