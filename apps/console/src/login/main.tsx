import '../design/look/tokens.css'
import './login.css'
import type { ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import { keepFocusOfWaiting } from '../design/focus.ts'
import { readAppearance } from '../design/look/last-appearance.ts'
import { startOwnFont } from '../design/look/own-font.ts'
import { startLanguage, t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import { readPublicSettings } from '../session/start.ts'
import { FlashPage } from './FlashPage.tsx'
import { LoginPage } from './LoginPage.tsx'
import { ForgotPasswordPage } from './password/ForgotPasswordPage.tsx'
import { PasswordPage } from './password/PasswordPage.tsx'
import { PasswordResetPage } from './password/PasswordResetPage.tsx'
import { BindPage, DisablePage } from './second-factor/MfaPages.tsx'
import { MfaStepPage } from './second-factor/MfaStepPage.tsx'
import { OwnFactorsPage } from './second-factor/OwnFactorsPage.tsx'
import { WaitPage } from './WaitPage.tsx'

const RESET_PATH = '/core/auth/password/reset/'

async function start(): Promise<void> {
  followTheme()
  keepFocusOfWaiting()
  void startOwnFont()
  const [settings] = await Promise.all([
    readPublicSettings(),
    startLanguage(async () => (await import('../locales/cn-login.ts')).catalog),
  ])
  if (settings.LOGO_URLS?.favicon)
    document.querySelector('link[rel=icon]')?.setAttribute('href', settings.LOGO_URLS.favicon)
  const { Page, title } = pageOf(location.pathname)
  document.title = `${title} - ${settings.LOGIN_TITLE || 'Sallyport'}`
  createRoot(document.getElementById('root') as HTMLElement).render(<Page settings={settings} />)
}

/** In the colors that the console had last in this browser, or of the system, also when those change. */
function followTheme(): void {
  const { theme } = readAppearance()
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const draw = () => {
    const isDark = theme === 'system' ? system.matches : theme === 'dark'
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  }
  draw()
  system.addEventListener('change', draw)
}

/** Every signed-out page is this one file; the address says which. */
function pageOf(path: string): { Page: ComponentType<{ settings: PublicSettings }>; title: string } {
  if (path.startsWith(RESET_PATH)) return { Page: PasswordResetPage, title: t('Change password') }
  if (path.startsWith('/core/common/flash-message/')) return { Page: FlashPage, title: t('Notice') }
  if (path.startsWith('/core/auth/password/verify/') || path.endsWith('/bind/start/'))
    return { Page: PasswordPage, title: t('Verify password') }
  if (path.startsWith('/core/auth/password/forgot/')) return { Page: ForgotPasswordPage, title: t('Forgot password') }
  if (path.startsWith('/core/auth/login/mfa/')) return { Page: MfaStepPage, title: t('Second factor') }
  if (path.startsWith('/core/auth/login/wait-confirm/')) return { Page: WaitPage, title: t('Waiting for confirmation') }
  if (path.startsWith('/core/auth/profile/otp/enable/'))
    return { Page: BindPage, title: t('Set up an authenticator app') }
  if (path.startsWith('/core/auth/profile/otp/disable/'))
    return { Page: DisablePage, title: t('Remove the authenticator app') }
  if (path.startsWith('/core/auth/profile/mfa/')) return { Page: OwnFactorsPage, title: t('Second factor') }
  return { Page: LoginPage, title: t('Sign in') }
}

void start()
