import { useEffect, useState } from 'react'
import { LOGIN_PATH, request } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'
import { Card } from './Card.tsx'

/** As the server words it, in the person's language. */
interface Message {
  title: string
  message: string
  seconds: number
  url: string
  cancel_url: string | null
}

/**
 * A message on the way between two pages: goes on by itself after some seconds, at once with
 * Confirm, or elsewhere with Cancel.
 */
export function FlashPage({ settings }: { settings: PublicSettings }) {
  const [message, setMessage] = useState<Message>()
  const [isGone, setIsGone] = useState(false)
  const [left, setLeft] = useState(0)

  useEffect(() => {
    request<Message>('GET', location.pathname + location.search, { quiet: true }).then(
      (found) => {
        setLeft(found.seconds)
        setMessage(found)
      },
      () => setIsGone(true),
    )
  }, [])
  useEffect(() => {
    if (!message) return
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : location.assign(message.url)), 1000)
    return () => clearTimeout(timer)
  }, [message, left])

  if (isGone)
    return (
      <Card settings={settings} heading={t('Notice')}>
        <p role="status">{t('This message has expired.')}</p>
        <p className="beside">
          <a href={LOGIN_PATH}>{t('Back to sign-in')}</a>
        </p>
      </Card>
    )
  return (
    <Card settings={settings} heading={message?.title ?? t('Notice')}>
      {message && (
        <>
          <p role="status">{message.message}</p>
          <p className="beside">
            <a href={message.url}>{t('Confirm')}</a>
            <span aria-hidden="true">{t('{{count}} s', { count: left })}</span>
            {message.cancel_url && <a href={message.cancel_url}>{t('Cancel')}</a>}
          </p>
        </>
      )}
    </Card>
  )
}
