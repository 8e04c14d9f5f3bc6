import { Alert } from 'antd'
import { useState } from 'react'
import { calendarDays, parseDate } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { type Profile, session } from './session.ts'

const WARN_DAYS = 5

/** Days until the password ends, counted in calendar days; undefined when there is nothing to say (spec A6.38 B9.21). */
export function passwordDaysLeft(profile: Profile, lifetimeDays: number | undefined, now = new Date()): number | undefined {
  const updated = parseDate(profile.date_password_last_updated)
  if (profile.source !== 'local' || !updated || !lifetimeDays) return undefined
  const left = lifetimeDays - calendarDays(updated, now)
  return left <= WARN_DAYS ? left : undefined
}

/** Warnings above every page heading; each can be closed. */
export function Banners() {
  const { profile, settings } = session()
  const [left] = useState(() => passwordDaysLeft(profile, settings.SECURITY_PASSWORD_EXPIRATION_TIME))
  const [closed, setClosed] = useState(false)
  if (left === undefined || closed) return null
  return (
    <Alert
      className="banner"
      type="error"
      showIcon
      closable={{ onClose: () => setClosed(true), 'aria-label': t('Close') }}
      title={left <= 0 ? t('Password expired') : t('Your password expires in {{days}} days. Change it soon.', { days: left })}
    />
  )
}
