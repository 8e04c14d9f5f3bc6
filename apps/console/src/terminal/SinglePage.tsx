import { familyOf } from '@sallyport/contract/target.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../lib/api.ts'
import { isolated } from '../lib/bidi.ts'
import { t } from '../lib/i18n.ts'
import { findTarget } from './assets/target.ts'
import { type Connection, socketTargetOf } from './connect/connection.ts'
import { useConnect } from './connect/use-connect.tsx'
import { lazyPane } from './lazy-parts.tsx'
import { NothingHere } from './NothingPage.tsx'
import { mayShareBy } from './pane/room.ts'
import { DesktopPane } from './session/desktop/DesktopPane.tsx'
import { TerminalPane } from './session/TerminalPane.tsx'
import { keepTabs, keptTabs } from './tabs/kept-tabs.ts'
import { NO_TABS, type TabState } from './tabs/tabs.ts'
import { DESKTOP_PROTOCOLS } from './text-protocols.ts'
import { useLeaveGuard } from './use-leave-guard.ts'
import type { View } from './view.ts'
import { pageTitle, type Viewer, watermarkOf } from './viewer.ts'

const ClusterPane = lazyPane(() => import('./cluster/ClusterPane.tsx').then((module) => module.ClusterPane))
const KeyBrowserPane = lazyPane(() => import('./keys/KeyBrowserPane.tsx').then((module) => module.KeyBrowserPane))
const WorkbenchPane = lazyPane(() => import('./workbench/WorkbenchPane.tsx').then((module) => module.WorkbenchPane))

export interface SinglePageProps {
  viewer: Viewer
  view: Extract<View, { name: 'single' | 'direct' }>
}

/** One connection filling the window. */
export function SinglePage({ viewer, view }: SinglePageProps) {
  const [connection, setConnection] = useState<Connection>()
  const [refusal, setRefusal] = useState<string>()
  const [state, setState] = useState<TabState>('connecting')
  const [attempt, setAttempt] = useState(0)
  const userId = viewer.profile.id
  // A page that was loaded again goes on with what it had.
  const [kept] = useState(() => keptTabs(userId).tabs[0])
  const [sessionId, setSessionId] = useState(kept?.sessionId)
  const [resume, setResume] = useState(kept?.sessionId)
  const title = useCallback(
    (text: string) => {
      document.title = `${isolated(text)} - ${pageTitle(viewer)}`
    },
    [viewer],
  )
  const open = useCallback(
    (next: Connection) => {
      setConnection(next)
      title(next.targetName)
    },
    [title],
  )
  // A file or another program would leave an empty window behind.
  const { connect, dialog } = useConnect(viewer, open, true)

  const asked = useRef(false)
  useEffect(() => {
    if (asked.current) return
    asked.current = true
    if (kept) open(kept.connection)
    else openAsked(view, { connect, open }).catch((error: unknown) => setRefusal(errorText(error)))
  }, [view, connect, open, kept])

  useEffect(() => {
    if (!connection) return
    const tab = { ...connection, id: 1, name: connection.targetName, state, attempt, sessionId }
    keepTabs(userId, { ...NO_TABS, list: [tab], active: 1 })
  }, [userId, connection, state, attempt, sessionId])

  useLeaveGuard(connection !== undefined && state !== 'disconnected')
  const reconnect = () => {
    setState('connecting')
    // What runs elsewhere by now is taken back.
    setResume(sessionId)
    setSessionId(undefined)
    setAttempt(attempt + 1)
  }
  if (refusal)
    return (
      <main className="wt">
        <NothingHere why={refusal} />
      </main>
    )
  // Only the attempt on screen counts; messages of an earlier one are old.
  const ofThis =
    <Value,>(set: (value: Value) => void) =>
    (value: Value, of: number) =>
      of === attempt && set(value)
  return (
    <main className="wt wt-single">
      {connection && (
        <ConnectionPane
          {...{ connection, viewer, attempt, state, resume }}
          onState={ofThis(setState)}
          onSession={ofThis(setSessionId)}
          onReconnect={reconnect}
          onTitle={title}
        />
      )}
      {dialog}
    </main>
  )
}

interface ConnectionPaneProps {
  connection: Connection
  viewer: Viewer
  attempt: number
  state: TabState
  resume: string | undefined
  onState: (state: TabState, attempt: number) => void
  onSession: (sessionId: string | undefined, attempt: number) => void
  onReconnect: () => void
  onTitle: (title: string) => void
}

/** The pane of a connection, by its protocol. */
function ConnectionPane({ connection, viewer, resume, onSession, onTitle, ...common }: ConnectionPaneProps) {
  const { protocol, targetName } = connection
  const watermark = watermarkOf(viewer, targetName)
  const title = { target: targetName, systemUser: connection.systemUserName }
  const props = { ...common, active: true, target: socketTargetOf(connection), title, watermark }
  const mayShare = mayShareBy(viewer.settings)
  if (DESKTOP_PROTOCOLS.includes(protocol)) return <DesktopPane {...props} {...{ resume, mayShare, onSession }} />
  if (connection.view !== 'workbench') return <TerminalPane {...props} {...{ resume, mayShare, onSession, onTitle }} />
  if (protocol === 'redis') return <KeyBrowserPane {...props} />
  if (protocol === 'k8s') return <ClusterPane {...props} />
  return <WorkbenchPane {...props} {...{ resume, onSession }} userId={viewer.profile.id} />
}

interface Openers {
  connect: ReturnType<typeof useConnect>['connect']
  open: (connection: Connection) => void
}

/** Opens what the page's address names. @throws Error when that can't be found, or is not granted */
async function openAsked(view: SinglePageProps['view'], { connect, open }: Openers): Promise<void> {
  const id = view.name === 'single' ? view.loginTo : view.targetId
  const family = view.name === 'single' ? view.family : (view.family ?? familyOf(view.protocol))
  const target = await findTarget(family, id)
  if (!target) throw new Error(t('This is not granted to you.'))
  if (view.name === 'single') return connect(target, { systemUser: view.systemUser, view: view.view })
  open({
    targetId: id,
    targetName: target.name,
    systemUserId: view.systemUserId,
    systemUserName: '',
    protocol: view.protocol,
    family: view.family === 'application' ? view.family : undefined,
    place: view.place,
  })
}
