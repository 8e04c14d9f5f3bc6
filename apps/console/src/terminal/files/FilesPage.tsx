import './files.css'
import './folder/folder.css'
import './pane/file-pane.css'
import './transfer/transfer.css'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSignedOut } from '../../design/dialogs/feedback.tsx'
import { Segmented } from '../../design/inputs/Segmented.tsx'
import { language, switchLanguage, t } from '../../lib/i18n.ts'
import { loginAddress } from '../../session/start.ts'
import { useLeaveGuard } from '../use-leave-guard.ts'
import type { Viewer } from '../viewer.ts'
import { FolderChanges } from './folder/folder-changes.ts'
import { shownPath } from './folder/machine-names.ts'
import { machinePath } from './folder/paths.ts'
import { FilePane } from './pane/FilePane.tsx'
import type { PaneContent } from './pane/pane-actions.tsx'
import { ConflictDialog } from './transfer/ConflictDialog.tsx'
import { forgetUpload, keptUploads } from './transfer/kept-uploads.ts'
import { isUnderWay, question } from './transfer/queue.ts'
import { TransferPanel } from './transfer/TransferPanel.tsx'
import { TransferEngine } from './transfer/transfer-engine.ts'

type Side = 'left' | 'right'
const OTHER: Readonly<Record<Side, Side>> = { left: 'right', right: 'left' }
const PLACES_KEY = 'file_manager_places'

export interface FilesPageProps {
  viewer: Viewer
  /** The asset that the address names. */
  assetId: string | null
}

/**
 * Two panes over machines, and the transfers between them and this computer (contract web-terminal,
 * file_manager).
 */
export function FilesPage({ viewer, assetId }: FilesPageProps) {
  const userId = viewer.profile.id
  const [changes] = useState(() => new FolderChanges())
  const [engine] = useState(
    () => new TransferEngine({ userId, onChanged: changes.say, onSignedOut: () => showSignedOut(loginAddress) }),
  )
  const queue = useSyncExternalStore(engine.subscribe, engine.snapshot)
  const [paths, setPaths] = useState<Record<Side, string>>(() => firstPaths(assetId))
  const [contents, setContents] = useState<Partial<Record<Side, PaneContent>>>({})
  const [active, setActive] = useState<Side>('left')
  const [interrupted, setInterrupted] = useState(() => keptUploads(userId))

  useEffect(() => sessionStorage.setItem(PLACES_KEY, JSON.stringify({ assetId, paths })), [assetId, paths])
  useEffect(() => {
    document.title = `${t('File manager')} - ${viewer.settings.LOGIN_TITLE || 'Sallyport'}`
  }, [viewer])
  // Those that are chosen again are among the transfers now.
  useEffect(() => {
    const isChosen = ({ to }: { to: string }) => queue.list.some((one) => one.to === to)
    setInterrupted((now) => (now.some(isChosen) ? now.filter((one) => !isChosen(one)) : now))
  }, [queue])
  useLeaveGuard(isUnderWay(queue))
  const handleContent = useCallback(
    (side: Side, content: PaneContent) => setContents((now) => ({ ...now, [side]: content })),
    [],
  )

  const asked = question(queue)
  return (
    <div className="wt fm">
      <Head settings={viewer.settings} />
      {interrupted.length > 0 && (
        <InterruptedUploads
          paths={interrupted.map(({ to }) => to)}
          onForget={() => {
            for (const { to } of interrupted) forgetUpload(userId, to)
            setInterrupted([])
          }}
        />
      )}
      <Segmented
        className="fm-sides"
        aria-label={t('Panes')}
        isBlock
        value={active}
        options={[
          { value: 'left' as Side, label: t('Left pane') },
          { value: 'right' as Side, label: t('Right pane') },
        ]}
        onChange={setActive}
      />
      <main className="fm-panes">
        {(['left', 'right'] as const).map((side) => (
          <FilePane
            key={side}
            label={side === 'left' ? t('Left pane') : t('Right pane')}
            isActive={active === side}
            path={paths[side]}
            other={contents[OTHER[side]]}
            engine={engine}
            changes={changes}
            onPath={(path) => setPaths((now) => ({ ...now, [side]: path }))}
            onActive={() => setActive(side)}
            onContent={(content) => handleContent(side, content)}
          />
        ))}
      </main>
      <TransferPanel queue={queue} engine={engine} />
      {asked && (
        <ConflictDialog
          key={asked.id}
          transfer={asked}
          isOneOfMany={queue.list.filter(({ batch }) => batch === asked.batch).length > 1}
          onAnswer={(answer, forAll) => engine.answer(asked.id, answer, forAll)}
          onCancel={() => engine.cancel(asked.id)}
        />
      )}
    </div>
  )
}

function Head({ settings }: Pick<Viewer, 'settings'>) {
  return (
    <header className="wt-top">
      <a className="wt-logo" href="/ui/" title={t('Console')}>
        {settings.LOGO_URLS?.logo_logout ? (
          <img src={settings.LOGO_URLS.logo_logout} alt={t('Console')} />
        ) : (
          settings.LOGIN_TITLE || 'Sallyport'
        )}
      </a>
      <h1>{t('File manager')}</h1>
      <a className="wt-top-item" href="/luna/">
        {t('Web Terminal')}
      </a>
      <button type="button" className="wt-top-item" onClick={() => switchLanguage(language() === 'en' ? 'cn' : 'en')}>
        {language() === 'en' ? '中文' : 'English'}
      </button>
    </header>
  )
}

/** Unfinished uploads, and how they go on. */
function InterruptedUploads({ paths, onForget }: { paths: readonly string[]; onForget: () => void }) {
  return (
    <div className="fm-interrupted" role="note">
      <span>
        {t(
          'Interrupted uploads: {{count}}. Choose or drop the same files for the same folder, and they resume where they stopped:',
          {
            count: paths.length,
          },
        )}{' '}
        {paths.slice(0, 3).map(shownPath).join(', ')}
        {paths.length > 3 && ' …'}
      </span>
      <Button size="small" onClick={onForget}>
        {t('Dismiss')}
      </Button>
    </div>
  )
}

/**
 * Where the panes were before the page was loaded again, else the asset of the address at the left,
 * and all machines at the right.
 */
function firstPaths(assetId: string | null): Record<Side, string> {
  const first = { left: assetId ? machinePath(assetId) : '/', right: '/' }
  try {
    const stored = JSON.parse(sessionStorage.getItem(PLACES_KEY) ?? '{}') as {
      assetId?: unknown
      paths?: Partial<Record<Side, unknown>>
    }
    const { left, right } = stored.paths ?? {}
    if (stored.assetId === assetId && typeof left === 'string' && typeof right === 'string') return { left, right }
  } catch {
    // Somebody else's value under our name: start afresh.
  }
  return first
}
