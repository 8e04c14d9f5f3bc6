import { useState } from 'react'
import type { StartedSession } from '../screen/session-line.ts'

interface StartedOptions {
  /** A new number is a new session. */
  attempt: number
  onStarted?: ((session: StartedSession) => void) | undefined
}

/** The session of a pane once it has begun; `onStarted` takes it, and passes it on. */
export function useStarted({ attempt, onStarted: pass }: StartedOptions) {
  const [begun, setBegun] = useState<{ attempt: number; session: StartedSession }>()
  const onStarted = (started: StartedSession) => {
    setBegun({ attempt, session: started })
    pass?.(started)
  }
  return { session: begun?.attempt === attempt ? begun.session : undefined, onStarted }
}
