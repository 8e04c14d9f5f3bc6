import { type Dispatch, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { showAlert, showError } from '../design/dialogs/feedback.tsx'
import { Splitter } from '../design/Splitter.tsx'
import { errorText } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import type { TreeItem } from './assets/asset-tree.ts'
import { LeftPanel } from './assets/LeftPanel.tsx'
import { findTarget, targetOf } from './assets/target.ts'
import { BroadcastBar } from './broadcast/BroadcastBar.tsx'
import { besideResources, clusterConnection, clusterResources, clusterShell } from './connect/cluster-connection.ts'
import { type Connection, connectionOf, socketTargetOf } from './connect/connection.ts'
import { logName, tabName, viewName } from './connect/tab-name.ts'
import { useConnect } from './connect/use-connect.tsx'
import { WaitingSessions } from './connect/WaitingSessions.tsx'
import { lazyDialog, lazyPane } from './lazy-parts.tsx'
import { NotConnected } from './pane/NotConnected.tsx'
import { PaneHead } from './pane/PaneHead.tsx'
import { mayShareBy } from './pane/room.ts'
import { readPreferences } from './screen/preferences.ts'
import type { Screen } from './screen/screen.ts'
import { StartPage } from './start/StartPage.tsx'
import { TopBar } from './TopBar.tsx'
import { keepTabs, keptTabs, restoredTabs } from './tabs/kept-tabs.ts'
import { LayoutButtons, PlaceGrid } from './tabs/PlaceGrid.tsx'
import { TabStrip } from './tabs/TabStrip.tsx'
import {
  batchCandidates,
  batchTargets,
  changeTabs,
  isBatched,
  type Tab,
  type TabAction,
  type TabState,
  type Tabs,
} from './tabs/tabs.ts'
import { DESKTOP_PROTOCOLS, WORKBENCH_PROTOCOLS } from './text-protocols.ts'
import { keepWidth, storedWidth, TREE_MIN_PX, treeMaxPx } from './tree-width.ts'
import { useLeaveGuard } from './use-leave-guard.ts'
import type { View } from './view.ts'
import { type Viewer, watermarkOf } from './viewer.ts'

const TerminalPane = lazyPane(() => import('./session/TerminalPane.tsx').then((module) => module.TerminalPane))
const ClusterPane = lazyPane(() => import('./cluster/ClusterPane.tsx').then((module) => module.ClusterPane))
const DesktopPane = lazyPane(() => import('./session/desktop/DesktopPane.tsx').then((module) => module.DesktopPane))
const KeyBrowserPane = lazyPane(() => import('./keys/KeyBrowserPane.tsx').then((module) => module.KeyBrowserPane))
const WorkbenchPane = lazyPane(() => import('./workbench/WorkbenchPane.tsx').then((module) => module.WorkbenchPane))
const SettingsDialog = lazyDialog(() => import('./SettingsDialog.tsx').then((module) => module.SettingsDialog))

/** On a phone the tree lies over the terminals and goes away when an asset is chosen. */
const isNarrow = () => matchMedia('(max-width: 700px)').matches

export interface MainPageProps {
  viewer: Viewer
  /** What to open at once. */
  asked: Extract<View, { name: 'main' }>
}

/** Top bar, tree, tabs and terminals. */
export function MainPage({ viewer, asked }: MainPageProps) {
  const { settings, profile } = viewer
  const [tabs, dispatch] = useReducer(changeTabs, profile.id, restoredTabs)
  useEffect(() => keepTabs(profile.id, tabs), [profile.id, tabs])
  const [leftShown, setLeftShown] = useState(true)
  const [isWithoutGrants, setWithoutGrants] = useState(false)
  const [settingsShown, setSettingsShown] = useState(false)
  const content = useRef<HTMLDivElement>(null)
  const screens = useRef(new Map<number, Screen>())

  const openTab = useCallback((connection: Connection, name = tabName(connection)) => {
    dispatch({ do: 'open', connection, name })
    if (isNarrow()) setLeftShown(false)
  }, [])
  const { connect, dialog } = useConnect(viewer, openTab)
  const isOpening = useAskedTarget(asked, profile.id, connect)
  useLeaveGuard(tabs.list.some(({ state }) => state !== 'disconnected'))

  const receivers = useMemo(() => new Set(batchTargets(tabs).map(({ id }) => id)), [tabs])
  const [isWriting, setWriting] = useState(false)
  const handleBatch = (text: string) => {
    for (const id of receivers) screens.current.get(id)?.type(`${text}\r`)
  }
  const start = (isFirst: boolean) => (
    <StartPage {...{ isWithoutGrants, isFirst }} onConnect={(target, options) => void connect(target, options)} />
  )
  return (
    <div className="wt">
      <TopBar
        settings={settings}
        tabs={tabs}
        leftShown={leftShown}
        onToggleLeft={() => setLeftShown(!leftShown)}
        onFullScreen={() => void content.current?.requestFullscreen?.()}
        onSettings={() => setSettingsShown(true)}
        onActivate={(id) => dispatch({ do: 'activate', id })}
      />
      <div className="wt-body">
        {leftShown && (
          <LeftSide
            connect={connect}
            onOpen={openTab}
            onWithoutGrants={setWithoutGrants}
            onHide={() => setLeftShown(false)}
          />
        )}
        <main className="wt-content">
          <h1 className="wt-title">{t('Web Terminal')}</h1>
          <WaitingSessions
            known={tabs.list.flatMap(({ sessionId }) => sessionId ?? [])}
            onResume={(connection, resume) => dispatch({ do: 'open', connection, name: tabName(connection), resume })}
          />
          {tabs.list.length > 0 && (
            <div className="wt-strip">
              <TabStrip tabs={tabs} dispatch={dispatch} receivers={isWriting ? receivers : undefined} />
              <LayoutButtons tabs={tabs} dispatch={dispatch} />
            </div>
          )}
          {tabs.list.length === 0 && !isOpening && start(true)}
          <div className="wt-panes" ref={content} hidden={tabs.list.length === 0}>
            <PlaceGrid
              {...{ tabs, dispatch }}
              paneOf={(tab, isShown) => (
                <TabPane {...{ viewer, tab, tabs, dispatch, isShown }} screens={screens.current} />
              )}
              empty={start(false)}
            />
          </div>
          {settings.SECURITY_COMMAND_EXECUTION === true && tabs.list.length > 0 && (
            <BroadcastBar
              isShown={isBatched(tabs)}
              candidates={batchCandidates(tabs)}
              receivers={receivers}
              onReceive={(ids, isOn) => dispatch({ do: 'receive', ids, isOn })}
              onWriting={setWriting}
              onSend={handleBatch}
            />
          )}
        </main>
      </div>
      {dialog}
      {settingsShown && (
        <SettingsDialog
          hasRdpClients={settings.DESKTOP_PORTS?.rdp !== undefined}
          onClose={() => setSettingsShown(false)}
        />
      )}
    </div>
  )
}

type Connect = ReturnType<typeof useConnect>['connect']

/**
 * Opens what the page's address names. The address asks once; what is opened later is the
 * person's own doing. Answers whether it is still on its way.
 */
function useAskedTarget(
  { loginTo, family, systemUser, view }: MainPageProps['asked'],
  userId: string,
  connect: Connect,
): boolean {
  const asked = useRef(false)
  const [isOpening, setOpening] = useState(loginTo !== null)
  useEffect(() => {
    // A page that was loaded again has the terminal that its address asks for.
    if (!loginTo || asked.current) return
    const isKept = keptTabs(userId).tabs.some(({ connection: kept }) => kept.targetId === loginTo && kept.view === view)
    if (isKept) return setOpening(false)
    asked.current = true
    findTarget(family, loginTo)
      .then(
        (target) => (target ? connect(target, { systemUser, view }) : showAlert(t('This is not granted to you.'))),
        (error: unknown) => showError(errorText(error)),
      )
      .finally(() => setOpening(false))
  }, [loginTo, family, systemUser, view, connect, userId])
  return isOpening
}

interface LeftSideProps {
  connect: Connect
  /** Objects of a cluster need no question. */
  onOpen: (connection: Connection, name?: string) => void
  onWithoutGrants: (isWithoutGrants: boolean) => void
  onHide: () => void
}

/** The assets to connect to, as wide as the person has made them. */
function LeftSide({ connect, onOpen, onWithoutGrants, onHide }: LeftSideProps) {
  const [width, setWidth] = useState(storedWidth)
  const choose = (item: TreeItem, ask: boolean, view?: 'workbench') => {
    const shell = clusterConnection(item)
    if (view && item.meta.data.account) onOpen(clusterResources(item))
    else if (shell) onOpen(shell)
    else void connect(targetOf(item), { ask, view })
  }
  const [lazyTree] = useState(() => readPreferences().loadTreeAsync)
  return (
    <aside className="wt-asset-side">
      <div className="wt-left" style={{ width }}>
        <LeftPanel
          lazy={lazyTree}
          onConnect={(item) => choose(item, false)}
          onConnectAsking={(item) => choose(item, true)}
          onWorkbench={(item) => choose(item, false, 'workbench')}
          onClusterView={(item, line) => onOpen(clusterShell(item, line), viewName(item, line))}
          onWithoutGrants={onWithoutGrants}
        />
      </div>
      <button type="button" className="wt-left-away" aria-label={t('Hide the asset list')} onClick={onHide} />
      <Splitter
        className="wt-splitter"
        aria-label={t('Width of the tree')}
        value={width}
        min={TREE_MIN_PX}
        max={treeMaxPx()}
        step={20}
        valueAt={({ x }) => x}
        onChange={(px) => {
          keepWidth(px)
          setWidth(px)
        }}
      />
    </aside>
  )
}

interface TabPaneProps {
  viewer: Viewer
  tab: Tab
  tabs: Tabs
  dispatch: Dispatch<TabAction>
  isShown: boolean
  /** The screens by tab; each pane enters its own here, and takes it out again. */
  screens: Map<number, Screen>
}

/** The terminal, desktop or workbench of a tab; one that is not shown stays connected. */
function TabPane({ viewer, tab, tabs, dispatch, isShown, screens }: TabPaneProps) {
  const common = {
    target: socketTargetOf(tab),
    attempt: tab.attempt,
    state: tab.state,
    active: isShown && tab.id === tabs.active,
    isShown,
    title: { target: tab.targetName, systemUser: tab.systemUserName },
    watermark: watermarkOf(viewer, tab.targetName),
    onState: (state: TabState, attempt: number) => dispatch({ do: 'state', id: tab.id, attempt, state }),
    onReconnect: () => dispatch({ do: 'reconnect', id: tab.id }),
  }
  if (tab.isIdle)
    return (
      <section className="wt-pane" hidden={!isShown} aria-label={tab.name}>
        <PaneHead title={common.title} session={undefined} state={tab.state} />
        <NotConnected isAlone onReconnect={common.onReconnect} />
      </section>
    )
  const onSession = (sessionId: string | undefined, attempt: number) =>
    dispatch({ do: 'session', id: tab.id, attempt, sessionId })
  const mayShare = mayShareBy(viewer.settings)
  if (DESKTOP_PROTOCOLS.includes(tab.protocol))
    return <DesktopPane {...common} {...{ onSession, mayShare }} resume={tab.resume} />
  if (tab.view === 'workbench' && tab.protocol === 'k8s')
    return (
      <ClusterPane
        {...common}
        namespace={tab.namespace}
        onContainer={(place, what) => {
          const connection = besideResources(connectionOf(tab), place, what)
          const name = what === 'log' ? logName(place) : tabName(connection)
          dispatch({ do: 'open', connection, name })
        }}
      />
    )
  if (tab.view === 'workbench' && tab.protocol === 'redis') return <KeyBrowserPane {...common} />
  if (tab.view === 'workbench')
    return <WorkbenchPane {...common} resume={tab.resume} onSession={onSession} userId={viewer.profile.id} />
  return (
    <TerminalPane
      {...common}
      resume={tab.resume}
      firstLine={tab.firstLine}
      mayShare={mayShare}
      onSession={onSession}
      onWorkbench={
        WORKBENCH_PROTOCOLS.includes(tab.protocol) && !tab.place
          ? () => {
              const connection = { ...connectionOf(tab), view: 'workbench' as const }
              dispatch({ do: 'open', connection, name: tabName(connection) })
            }
          : undefined
      }
      onScreen={(screen) => {
        if (screen) screens.set(tab.id, screen)
        else screens.delete(tab.id)
      }}
    />
  )
}
