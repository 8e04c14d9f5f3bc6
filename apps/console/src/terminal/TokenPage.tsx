import { useState } from 'react'
import { TerminalPane } from './TerminalPane.tsx'
import type { TabState } from './tabs.ts'
import { useLeaveGuard } from './use-leave-guard.ts'

/** The terminal that a connection token opens, filling the window. Connecting again works as long as the token does. */
export function TokenPage({ token }: { token: string }) {
  const [state, setState] = useState<TabState>('connecting')
  const [attempt, setAttempt] = useState(0)
  useLeaveGuard(state === 'connected')
  return (
    <main className="wt wt-single">
      <TerminalPane
        target={{ type: 'token', target_id: token }}
        attempt={attempt}
        state={state}
        active
        mayShare={false}
        watermark={undefined}
        onState={(next, of) => of === attempt && setState(next)}
        onReconnect={() => {
          setState('connecting')
          setAttempt(attempt + 1)
        }}
      />
    </main>
  )
}
