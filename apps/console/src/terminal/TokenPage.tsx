import { useState } from 'react'
import type { PublicSettings } from '../session/session.ts'
import type { StartedSession } from './screen/session-line.ts'
import { TerminalPane } from './session/TerminalPane.tsx'
import type { TabState } from './tabs/tabs.ts'
import { useLeaveGuard } from './use-leave-guard.ts'
import { pageTitle } from './viewer.ts'

/**
 * The terminal that a connection token opens, filling the window. Connecting again works as long as
 * the token does.
 */
export function TokenPage({ token, settings }: { token: string; settings: PublicSettings }) {
  const [state, setState] = useState<TabState>('connecting')
  const [attempt, setAttempt] = useState(0)
  const [session, setSession] = useState<StartedSession>()
  useLeaveGuard(state === 'connected')
  return (
    <main className="wt wt-single">
      <TerminalPane
        target={{ type: 'token', target_id: token }}
        attempt={attempt}
        state={state}
        active
        mayShare={false}
        watermark={
          session && settings.SECURITY_WATERMARK_ENABLED === true ? `${session.user}\n${session.asset}` : undefined
        }
        onStarted={(started) => {
          setSession(started)
          document.title = `${started.asset} - ${pageTitle({ settings })}`
        }}
        onState={(next, of) => of === attempt && setState(next)}
        onReconnect={() => {
          setState('connecting')
          setAttempt(attempt + 1)
        }}
      />
    </main>
  )
}
