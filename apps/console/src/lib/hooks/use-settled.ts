import { useEffect, useState } from 'react'

const TYPING_MS = 300

/** The typed text, trimmed, once nobody has typed for a moment: worth asking the server about. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return settled
}
