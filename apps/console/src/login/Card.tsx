import type { ReactNode } from 'react'
import { Mark } from '../design/Logo.tsx'
import { type Language, language, switchLanguage } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'

const LANGUAGES: readonly [Language, string][] = [
  ['cn', '中文'],
  ['en', 'English'],
]

/**
 * The common parts of the signed-out pages: brand with the installation's picture, heading, language switch.
 */
export function Card({
  settings,
  heading,
  children,
}: {
  settings: PublicSettings
  heading: string
  children: ReactNode
}) {
  const { logo_index: logo, login_image: picture } = settings.LOGO_URLS ?? {}
  return (
    <div className={picture ? 'card pictured' : 'card'}>
      <header>
        {logo ? <img src={logo} alt="" /> : <Mark />}
        <span>{settings.LOGIN_TITLE || 'Sallyport'}</span>
      </header>
      <main>
        <h1>{heading}</h1>
        {children}
      </main>
      <footer>
        {LANGUAGES.map(([code, name]) => (
          <button key={code} type="button" aria-pressed={language() === code} onClick={() => switchLanguage(code)}>
            {name}
          </button>
        ))}
      </footer>
      {picture ? <img className="login-image" src={picture} alt="" /> : null}
    </div>
  )
}
