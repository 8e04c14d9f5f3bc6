import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { Notice } from '../../design/Notice.tsx'
import { api } from '../../lib/api.ts'
import { calendarDays, parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { listOf } from '../../navigation/routes.ts'
import { type Profile, type Session, session } from '../../session/session.ts'

const WARN_DAYS = 5
const LICENSE_WARN_DAYS = 7

/**
 * Days until the password ends, counted in calendar days; undefined when there is nothing to say
 * (A6.38 B9.21).
 */
function passwordDaysLeft(profile: Profile, lifetimeDays: number | undefined, now = new Date()): number | undefined {
  const updated = parseDate(profile.date_password_last_updated)
  if (profile.source !== 'local' || !updated || !lifetimeDays) return undefined
  const left = lifetimeDays - calendarDays(updated, now)
  return left <= WARN_DAYS ? left : undefined
}

/** Warnings above every page heading; each can be closed. */
export function Banners() {
  const { profile, settings } = session()
  const [left] = useState(() => passwordDaysLeft(profile, settings.SECURITY_PASSWORD_EXPIRATION_TIME))
  return (
    <>
      <Warning text={useLicenseWarning()} to={licensePage()} />
      <Warning
        text={
          left === undefined
            ? undefined
            : left <= 0
              ? t('Password expired')
              : t('Your password expires in {{days|day|days}}. Change it soon.', { days: left })
        }
      />
    </>
  )
}

/** Where the license is shown and renewed. */
const licensePage = () => listOf('Settings', { activeTab: 'License' })

function Warning({ text, to }: { text: string | undefined; to?: string | undefined }) {
  const [closed, setClosed] = useState(false)
  if (text === undefined || closed) return null
  return (
    <Notice
      tone="danger"
      title={text}
      action={to && <Link to={to}>{t('License')}</Link>}
      onClose={() => setClosed(true)}
    />
  )
}

/**
 * What there is to say about the license: asked once, only by system administrators with the
 * extension enabled (A6.37 B6.03 B9.20).
 */
function useLicenseWarning(): string | undefined {
  const [date, setDate] = useState<string | null>()
  const asks = mayKnowLicense(session())
  useEffect(() => {
    if (!asks) return
    api
      .get<{ date_expired: string | null }>('/api/v1/xpack/license/detail', { quiet: true })
      .then(({ date_expired }) => setDate(date_expired))
      .catch(() => {})
  }, [asks])
  return licenseWarning(date)
}

const mayKnowLicense = ({ profile, settings }: Session) => profile.role === 'Admin' && settings.XPACK_ENABLED === true

/** @param date the last day on which the license holds; nothing without one */
export function licenseWarning(date: string | null | undefined, now = new Date()): string | undefined {
  const last = parseDate(date)
  if (!date || !last) return undefined
  const left = calendarDays(now, last)
  if (left < 0) return t('The license expired on {{date}}.', { date })
  if (left === 0) return t('The license expires today, {{date}}.', { date })
  return left < LICENSE_WARN_DAYS
    ? t('The license expires in {{days|day|days}}, on {{date}}.', { days: left, date })
    : undefined
}
