import { useEffect, useState } from 'react'

const SECOND_MS = 1000
const two = (value: number) => String(value).padStart(2, '0')

/** As a clock shows it, with hours where there are some. */
function clockOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = two(seconds % 60)
  return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`
}

interface ElapsedProps {
  since: number
  words?: string
  /** Shows its first second too. */
  isFromStart?: boolean
}

/**
 * How long something has run, in whole seconds, behind the words that say so; `since` is a time of the
 * page's own clock. What is over at once shows none. Who hears the page asks for it: a timer is not
 * announced by itself.
 */
export function Elapsed({ since, words, isFromStart = false }: ElapsedProps) {
  const [seconds, setSeconds] = useState(() => secondsSince(since))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const tick = () => {
      setSeconds(secondsSince(since))
      timer = setTimeout(tick, SECOND_MS - ((performance.now() - since) % SECOND_MS))
    }
    tick()
    return () => clearTimeout(timer)
  }, [since])
  if (seconds < 1 && !isFromStart) return null
  return (
    <span className="pane-elapsed" role="timer">
      {words && `${words} `}
      {clockOf(seconds)}
    </span>
  )
}

const secondsSince = (since: number) => Math.max(0, Math.floor((performance.now() - since) / SECOND_MS))
