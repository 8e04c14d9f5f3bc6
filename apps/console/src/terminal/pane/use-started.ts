import { useState } from 'react'
import type { StartedSession } from '../screen/session-line.ts'

/** The session of a pane once it has begun; `onStarted` takes it, and passes it on. */
export function useStarted(pass: ((session: StartedSession) => void) | undefined) {
  const [session, setSession] = useState<StartedSession>()
  const onStarted = (started: StartedSession) => {
    setSession(started)
    pass?.(started)
  }
  return { session, onStarted }
}
