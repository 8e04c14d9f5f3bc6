import { useEffect } from 'react'
import type { LoginMethod, PublicSettings } from '../app/session.ts'
import { LOGIN_PATH } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { Card } from './Card.tsx'

const NOTICE_MS = 3000

const query = () => new URLSearchParams(location.search)
/** The server checks where it leads. */
const withNext = (path: string) => {
  const next = query().get('next')
  return next ? `${path}${path.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}` : path
}

/** The provider that the page leads to by itself; `admin=1` in the address keeps the page (contract/authentication.yaml `login_page`). */
export const redirectDue = ({ LOGIN_REDIRECT }: PublicSettings): LoginMethod | undefined =>
  query().get('admin') === '1' ? undefined : (LOGIN_REDIRECT ?? undefined)

/** Says where the browser goes in a moment, and lets the person stay. */
export function RedirectNotice({ settings, to }: { settings: PublicSettings; to: LoginMethod }) {
  useEffect(() => {
    const timer = setTimeout(() => location.assign(withNext(to.url)), NOTICE_MS)
    return () => clearTimeout(timer)
  }, [to])
  return (
    <Card settings={settings} heading={t('Sign in')}>
      <p role="status">{t('You are taken to {{name}} to sign in.', { name: to.name })}</p>
      <p className="beside">
        <a href={withNext(to.url)}>{t('Go there now')}</a>
        <a href={withNext(`${LOGIN_PATH}?admin=1`)}>{t('Use a password instead')}</a>
      </p>
    </Card>
  )
}

/** Links to the other ways to sign in. */
export function LoginMethods({ methods = [] }: { methods?: LoginMethod[] | undefined }) {
  if (!methods.length) return null
  return (
    <p className="beside methods">
      <span>{t('More login options')}</span>
      {methods.map(({ name, url }) => (
        <a key={url} href={withNext(url)}>
          {name}
        </a>
      ))}
    </p>
  )
}
