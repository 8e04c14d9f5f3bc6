import type { ReactNode } from 'react'
import { Mark } from '../design/Logo.tsx'
import { type Language, language, switchLanguage } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'

/** Each in its own words, for people who can't read the other. */
const LANGUAGES: readonly [Language, string, tag: string][] = [
  ['cn', '中文', 'zh-CN'],
  ['en', 'English', 'en'],
]

/**
 * The common parts of the signed-out pages: brand with the installation's picture, language switch, heading.
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
        <div className="languages">
          {LANGUAGES.map(([code, name, tag]) => (
            <button
              key={code}
              type="button"
              lang={tag}
              aria-pressed={language() === code}
              onClick={() => switchLanguage(code)}
            >
              {name}
            </button>
          ))}
        </div>
      </header>
      <main>
        <h1>{heading}</h1>
        {children}
      </main>
      {picture ? <img className="login-image" src={picture} alt="" /> : null}
    </div>
  )
}
