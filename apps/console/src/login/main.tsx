import './login.css'
import { createRoot } from 'react-dom/client'
import { readPublicSettings } from '../app/start.ts'
import { startLanguage, t } from '../lib/i18n.ts'
import { LoginPage } from './LoginPage.tsx'
import { PasswordResetPage } from './PasswordResetPage.tsx'

const RESET_PATH = '/core/auth/password/reset/'

async function start(): Promise<void> {
  const [settings] = await Promise.all([
    readPublicSettings(),
    startLanguage(async () => (await import('../locales/cn-login.ts')).catalogue),
  ])
  if (settings.LOGO_URLS?.favicon) document.querySelector('link[rel=icon]')?.setAttribute('href', settings.LOGO_URLS.favicon)
  const reset = location.pathname.startsWith(RESET_PATH)
  document.title = `${reset ? t('Change password') : t('Sign in')} - ${settings.LOGIN_TITLE || 'Sallyport'}`
  createRoot(document.getElementById('root') as HTMLElement).render(
    reset ? <PasswordResetPage settings={settings} /> : <LoginPage settings={settings} />,
  )
}

void start()
