import { CircleAlertIcon, CircleCheckIcon, InfoIcon, TriangleAlertIcon, XIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n.ts'
import type { Tone } from './Status.tsx'

interface BannerProps {
  tone: Exclude<Tone, 'quiet'>
  title: ReactNode
  /** More about it, in a line below. */
  children?: ReactNode
  /** What to do about it, at the end. */
  action?: ReactNode
  /** It can be closed. */
  onClose?: () => void
  /** Read out at once by `alert`, when there is time by `status`. */
  role?: 'alert' | 'status'
}

const ICONS = { good: CircleCheckIcon, warning: TriangleAlertIcon, danger: CircleAlertIcon, info: InfoIcon }

/** What everybody on the page should know, in a box of its tone. */
export function Banner({ tone, title, children, action, onClose, role = 'alert' }: BannerProps) {
  const Icon = ICONS[tone]
  return (
    <div className="banner" data-tone={tone} role={role}>
      <Icon />
      <div className="banner-text">
        {children ? <strong>{title}</strong> : title}
        {children && <div>{children}</div>}
      </div>
      {action}
      {onClose && (
        <button type="button" className="icon-button" aria-label={t('Close')} title={t('Close')} onClick={onClose}>
          <XIcon />
        </button>
      )}
    </div>
  )
}
