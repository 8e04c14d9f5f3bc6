import '../design/look/tokens.css'
import './terminal.css'
import { lazy, type ReactNode, Suspense, useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { FeedbackDialogs } from '../design/dialogs/FeedbackDialogs.tsx'
import { showError, showSignedOut } from '../design/dialogs/feedback.tsx'
import { Messages } from '../design/dialogs/Messages.tsx'
import { keepFocusOfWaiting } from '../design/focus.ts'
import { useDarkTheme } from '../design/look/appearance.ts'
import { readAppearance } from '../design/look/last-appearance.ts'
import { startOwnFont } from '../design/look/own-font.ts'
import { Tooltips } from '../design/popups/Tooltip.tsx'
import { errorText, onApi } from '../lib/api.ts'
import { startLanguage, t } from '../lib/i18n.ts'
import { LATE_MS } from '../lib/late.ts'
import { loginAddress, readPublicSettings } from '../session/start.ts'
import { type View, viewOf } from './view.ts'
import { loadViewer, pageTitle, type Viewer } from './viewer.ts'

const loadMain = () => import('./MainPage.tsx')
const loadSingle = () => import('./SinglePage.tsx')
const loadReplay = () => import('./replay/ReplayPage.tsx')
const loadMonitor = () => import('./session/MonitorPage.tsx')
const loadJoin = () => import('./session/JoinPage.tsx')
const loadToken = () => import('./TokenPage.tsx')
const loadFiles = () => import('./files/FilesPage.tsx')
const loadDownload = () => import('./DownloadPage.tsx')
const loadNothing = () => import('./NothingPage.tsx')
const MainPage = lazy(async () => ({ default: (await loadMain()).MainPage }))
const SinglePage = lazy(async () => ({ default: (await loadSingle()).SinglePage }))
const ReplayPage = lazy(async () => ({ default: (await loadReplay()).ReplayPage }))
const MonitorPage = lazy(async () => ({ default: (await loadMonitor()).MonitorPage }))
const JoinPage = lazy(async () => ({ default: (await loadJoin()).JoinPage }))
const TokenPage = lazy(async () => ({ default: (await loadToken()).TokenPage }))
const DownloadPage = lazy(async () => ({ default: (await loadDownload()).DownloadPage }))
const NothingPage = lazy(async () => ({ default: (await loadNothing()).NothingPage }))
const FilesPage = lazy(async () => ({ default: (await loadFiles()).FilesPage }))

/** The code of the page comes in parallel with the person's profile. */
const CODE: Record<Exclude<View['name'], 'blank'>, () => Promise<unknown>> = {
  main: loadMain,
  single: loadSingle,
  direct: loadSingle,
  replay: loadReplay,
  monitor: loadMonitor,
  join: loadJoin,
  token: loadToken,
  files: loadFiles,
  download: loadDownload,
  nothing: loadNothing,
}

keepFocusOfWaiting()
void startOwnFont()
const root = createRoot(document.getElementById('root') as HTMLElement)

function pageFor(view: Exclude<View, { name: 'token' }>, viewer: Viewer): ReactNode {
  switch (view.name) {
    case 'main':
      return <MainPage viewer={viewer} asked={view} />
    case 'single':
    case 'direct':
      return <SinglePage viewer={viewer} view={view} />
    case 'replay':
      return <ReplayPage viewer={viewer} sessionId={view.sessionId} />
    case 'monitor':
      return <MonitorPage viewer={viewer} sessionId={view.sessionId} ticketId={view.ticketId} />
    case 'join':
      return <JoinPage viewer={viewer} shareId={view.shareId} code={view.code} />
    case 'files':
      return <FilesPage viewer={viewer} assetId={view.assetId} />
    case 'download':
      return <DownloadPage viewer={viewer} />
    case 'nothing':
      return <NothingPage />
    case 'blank':
      return null
  }
}

/** In the colors that the console had last in this browser; the terminals themselves keep theirs. */
function Themed({ children }: { children: ReactNode }) {
  const dark = useDarkTheme(readAppearance().theme)
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  }, [dark])
  return children
}

/** Instead of nothing, while neither code nor person has come. */
function Late() {
  return (
    <div className="wt-welcome" role="alert">
      <p>{t('The server has not answered yet.')}</p>
      <p>
        <a href={location.href}>{t('Try again')}</a>
      </p>
    </div>
  )
}

async function start(): Promise<void> {
  const view = viewOf(location.pathname, location.search)
  if (view.name === 'blank') return
  onApi({ signedOut: () => showSignedOut(loginAddress), showError })
  const code = CODE[view.name]()
  const texts = startLanguage(async () => (await import('./chinese.ts')).catalog)
  // A connection token is the sign-in of its person: nobody is asked for another.
  const coming = view.name === 'token' ? readPublicSettings().then((settings) => ({ settings })) : loadViewer()
  const late = setTimeout(() => root.render(<Late />), LATE_MS)
  const [viewer] = await Promise.all([coming, texts, code]).finally(() => clearTimeout(late))
  if (!viewer) return
  document.title = pageTitle(viewer)
  const { favicon } = viewer.settings.LOGO_URLS ?? {}
  if (favicon) document.querySelector('link[rel=icon]')?.setAttribute('href', favicon)
  const page =
    view.name === 'token' ? (
      <TokenPage token={view.token} view={view.view} settings={viewer.settings} />
    ) : (
      'profile' in viewer && pageFor(view, viewer)
    )
  root.render(
    <Themed>
      <Messages />
      <Tooltips />
      <FeedbackDialogs />
      <Suspense fallback={<p className="wt-welcome">{t('Loading')}</p>}>{page}</Suspense>
    </Themed>,
  )
}

start().catch((error: unknown) => {
  console.error(error)
  root.render(
    <div className="wt-welcome" role="alert">
      <p>{t('The web terminal could not start.')}</p>
      <pre>{errorText(error)}</pre>
      <p>
        <a href={location.href}>{t('Reload')}</a>
      </p>
    </div>,
  )
})
