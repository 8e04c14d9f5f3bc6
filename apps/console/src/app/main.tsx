import '../design/look/tokens.css'
import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { CloudOffIcon, TriangleAlertIcon } from 'lucide-react'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { FeedbackHost, showError, showSignedOut } from '../design/dialogs/feedback.tsx'
import { noteChange, offerUndo } from '../design/dialogs/last-change.ts'
import { EmptyState } from '../design/EmptyState.tsx'
import { keepFocusOfWaiting } from '../design/focus.ts'
import { useAppearance } from '../design/look/appearance.ts'
import { startOwnFont } from '../design/look/own-font.ts'
import { askForMfa } from '../generic/second-factor/MfaVerifyDialog.tsx'
import { errorText, onApi, outageOf } from '../lib/api.ts'
import { startLanguage, t } from '../lib/i18n.ts'
import { queryClient } from '../lib/query.ts'
import { watchUnread } from '../pages/notifications/unread.ts'
import { loadSession, loginAddress } from '../session/start.ts'
import { keepAlive } from './keep-alive.ts'
import { preloadPage } from './preload-page.ts'
import { makeRouter, plainAddress } from './router.tsx'
import { connectionLost, connectionWorks, watchBrowserNetwork, whenServerWorks } from './shell/connection.ts'

const plain = plainAddress(location.pathname, location.search, location.hash)
if (plain) history.replaceState(null, '', plain)

onApi({
  signedOut: () => showSignedOut(loginAddress),
  showError,
  answered: keepAlive,
  reached: connectionWorks,
  changed: noteChange,
  away: connectionLost,
  proveSecondFactor: askForMfa,
})
offerUndo((id) => void import('../generic/undo/take-back.tsx').then(({ takeBack }) => takeBack(id)))
watchBrowserNetwork()
keepFocusOfWaiting()
const fontFetched = startOwnFont()

const root = createRoot(document.getElementById('root') as HTMLElement)

async function start(): Promise<void> {
  const texts = startLanguage(async () => (await import('../locales/cn.ts')).catalog)
  // The code of the page that the address names comes in parallel with the session.
  const askForPage = preloadPage(location.pathname)
  const [loaded] = await Promise.all([loadSession(), texts])
  if (!loaded) return
  const { settings } = loaded
  if (settings.LOGO_URLS?.favicon)
    document.querySelector('link[rel=icon]')?.setAttribute('href', settings.LOGO_URLS.favicon)
  const router = makeRouter()
  askForPage()
  // In a transition: a page whose code is there is drawn together with the shell, in slices that
  // leave the browser time for input.
  startTransition(() =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Appearance />
        <FeedbackHost />
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  )
  watchUnread()
  void fontFetched.then((show) => {
    const stop = router.subscribe(() => {
      stop()
      show()
    })
  })
}

function Appearance(): null {
  useAppearance()
  return null
}

start().catch((error: unknown) => {
  console.error(error)
  // Not reached, or without its database: that passes by itself.
  const isAway = outageOf(error) !== undefined
  if (isAway) whenServerWorks(() => location.reload())
  root.render(
    <div className="full-notice" role="alert">
      <EmptyState
        icon={isAway ? <CloudOffIcon /> : <TriangleAlertIcon />}
        title={t('The console could not start.')}
        action={<a href={location.href}>{t('Reload')}</a>}
      >
        <code>{errorText(error)}</code>
        {isAway && ` ${t('This page tries again by itself.')}`}
      </EmptyState>
    </div>,
  )
})
