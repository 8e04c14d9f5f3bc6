import { useState } from 'react'
import type { PublicSettings } from '../session/session.ts'
import { lazyPane } from './lazy-parts.tsx'
import type { StartedSession } from './screen/session-line.ts'
import { TerminalPane } from './session/TerminalPane.tsx'
import type { TabState } from './tabs/tabs.ts'
import { useLeaveGuard } from './use-leave-guard.ts'
import type { TokenView } from './view.ts'
import { pageTitle, watermarkBy } from './viewer.ts'

const DesktopPane = lazyPane(() => import('./session/desktop/DesktopPane.tsx').then((module) => module.DesktopPane))
const ClusterPane = lazyPane(() => import('./cluster/ClusterPane.tsx').then((module) => module.ClusterPane))
const KeyBrowserPane = lazyPane(() => import('./keys/KeyBrowserPane.tsx').then((module) => module.KeyBrowserPane))
const WorkbenchPane = lazyPane(() => import('./workbench/WorkbenchPane.tsx').then((module) => module.WorkbenchPane))

export interface TokenPageProps {
  token: string
  /** How it is shown, if not as a terminal. */
  view?: TokenView | undefined
  settings: PublicSettings
}

/**
 * The terminal that a connection token opens, filling the window. Connecting again works as long as
 * the token does.
 */
export function TokenPage({ token, view: asked, settings }: TokenPageProps) {
  const [view, setView] = useState(asked)
  const [state, setState] = useState<TabState>('connecting')
  const [attempt, setAttempt] = useState(0)
  const [session, setSession] = useState<StartedSession>()
  useLeaveGuard(state === 'connected')
  const common = {
    attempt,
    state,
    active: true,
    watermark: session && watermarkBy(settings, `${session.user}\n${session.asset}`),
    onStarted(started: StartedSession) {
      setSession(started)
      document.title = `${started.asset} - ${pageTitle({ settings })}`
    },
    onState: (next: TabState, of: number) => of === attempt && setState(next),
    onReconnect() {
      setState('connecting')
      setAttempt(attempt + 1)
    },
  }
  const shown = view === 'keys' || view === 'cluster' ? 'workbench' : view
  const target = { type: 'token', target_id: token, ...(shown ? { view: shown } : {}) }
  if (view === 'desktop')
    return (
      <main className="wt wt-single">
        <DesktopPane key="desktop" {...common} target={target} mayShare={false} />
      </main>
    )
  return (
    <main className="wt wt-single">
      {view === 'keys' ? (
        <KeyBrowserPane {...common} target={target} />
      ) : view === 'cluster' ? (
        <ClusterPane {...common} target={target} />
      ) : view === 'workbench' ? (
        <WorkbenchPane {...common} target={target} userId={undefined} />
      ) : (
        <TerminalPane {...common} target={target} mayShare={false} onDesktop={() => setView('desktop')} />
      )}
    </main>
  )
}
