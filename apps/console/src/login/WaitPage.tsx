import { useEffect, useRef, useState } from 'react'
import { request } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import { namesOf } from '../lib/name-of.ts'
import type { PublicSettings } from '../session/session.ts'
import { Card } from './Card.tsx'
import { Refusal } from './Refusal.tsx'

const WAIT = '/core/auth/login/wait-confirm/'
const GUARD = '/core/auth/login/guard/'
const LOGIN = '/core/auth/login/'
const STATUS = '/api/v1/authentication/login-confirm-ticket/status/'
/** Asked this often (docs/rules/authentication.md#login_confirm). */
const POLL_MS = 5000

interface Waiting {
  reviewers: string[]
  link: string
  seconds: number
  waited: number
}

interface Answer {
  error?: string
  msg: string
  data?: { ticket_id: string }
}

/**
 * Waits until a reviewer has confirmed the sign-in, or refused it. Leaving the page withdraws the
 * request.
 */
export function WaitPage({ settings }: { settings: PublicSettings }) {
  const { waiting, refusal, reload } = useConfirmation()
  const [copied, setCopied] = useState(false)
  return (
    <Card settings={settings} heading={t('Waiting for confirmation')}>
      {refusal ? (
        <Refusal text={refusal} />
      ) : (
        <p role="status">{t('Your sign-in must be confirmed by one of these people. Keep this page open.')}</p>
      )}
      {waiting && (
        <>
          <ul>
            {namesOf(waiting.reviewers).map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          {!refusal && (
            <progress aria-label={t('Time waited, at most one hour')} max={waiting.seconds} value={waiting.waited} />
          )}
          <div className="wait-buttons">
            {!refusal && (
              <>
                <button type="button" onClick={reload}>
                  {t('Refresh')}
                </button>
                <button
                  type="button"
                  onClick={() => void navigator.clipboard?.writeText(waiting.link).then(() => setCopied(true))}
                >
                  {copied ? t('Copied') : t('Copy link')}
                </button>
              </>
            )}
            <a href={LOGIN}>{t('Back to sign-in')}</a>
          </div>
        </>
      )}
    </Card>
  )
}

/** Asks how the request stands until it is decided, and goes on then. */
function useConfirmation() {
  const [waiting, setWaiting] = useState<Waiting>()
  const [refusal, setRefusal] = useState('')
  /** Pages that keep the request: the next step, or the page itself once more. */
  const goesOn = useRef(false)

  useEffect(() => {
    request<Waiting>('GET', WAIT, { quiet: true }).then(setWaiting, () => {})
    const look = async () => {
      const answer = await request<Answer>('GET', STATUS, { quiet: true }).catch(() => undefined)
      if (!answer || goesOn.current) return // asked again in a moment
      // Without a ticket the page was loaded again, which withdrew it: the guard asks once more, or
      // leads back to name and password.
      const isLost = answer.error === 'login_confirm_error' && !answer.data?.ticket_id
      if (answer.error === 'login_confirm_error' && !isLost) setRefusal(answer.msg)
      else if (!answer.error || isLost) {
        goesOn.current = true
        location.assign(GUARD)
      }
    }
    void look()
    const timer = setInterval(() => {
      setWaiting((now) => now && { ...now, waited: now.waited + POLL_MS / 1000 })
      void look()
    }, POLL_MS)
    const leave = () => {
      if (!goesOn.current) void fetch(STATUS, { method: 'DELETE', keepalive: true })
    }
    addEventListener('pagehide', leave)
    return () => {
      clearInterval(timer)
      removeEventListener('pagehide', leave)
    }
  }, [])

  const reload = () => {
    goesOn.current = true
    location.reload()
  }
  return { waiting, refusal, reload }
}
