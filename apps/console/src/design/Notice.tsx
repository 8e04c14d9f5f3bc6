import { CircleAlertIcon, CircleCheckIcon, InfoIcon, TriangleAlertIcon, XIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n.ts'
import styles from './Notice.module.css'
import { namesOf } from './names.ts'
import type { Tone } from './Status.tsx'

interface NoticeProps {
  tone: Exclude<Tone, 'quiet'>
  title: ReactNode
  /** More about it, in a line below. */
  children?: ReactNode
  /** What to do about it, at the end. */
  action?: ReactNode
  /** It can be closed. */
  onClose?: () => void
  /** Read out at once by `alert`, when there is time by `status`; `note` is not read out by itself. */
  role?: 'alert' | 'status' | 'note'
  className?: string
}

const ICONS = { good: CircleCheckIcon, warning: TriangleAlertIcon, danger: CircleAlertIcon, info: InfoIcon }

/** What everybody on the page should know, in a box of its tone. */
export function Notice({ tone, title, children, action, onClose, role = 'alert', className }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div className={namesOf([styles.notice, className])} data-tone={tone} role={role}>
      <Icon />
      <div className={styles.text}>
        {children ? <strong>{title}</strong> : title}
        {children && <div>{children}</div>}
      </div>
      {action}
      {onClose && (
        <button
          type="button"
          className={namesOf(['icon-button', styles.close])}
          aria-label={t('Close')}
          title={t('Close')}
          onClick={onClose}
        >
          <XIcon />
        </button>
      )}
    </div>
  )
}
