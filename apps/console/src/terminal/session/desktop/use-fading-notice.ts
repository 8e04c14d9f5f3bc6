import { type Dispatch, type SetStateAction, useEffect } from 'react'
import type { Status } from './desktop-status.ts'

/** Words of the session stay so long, unless others come. */
const NOTICE_MS = 8000

/** Takes a notice away again that others may follow. */
export function useFadingNotice({ notice, isLast }: Status, setStatus: Dispatch<SetStateAction<Status>>): void {
  useEffect(() => {
    if (!notice || isLast) return
    const timer = setTimeout(() => setStatus((now) => ({ ...now, notice: undefined })), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [notice, isLast, setStatus])
}
