import { useState } from 'react'
import { Notice } from '../../design/Notice.tsx'
import { t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import styles from './settings.module.css'

const VIEWED = 'AnnouncementViewed'

/**
 * What administrators have to say to everybody, until it is closed; a new one shows again
 * (docs/rules/console.md#banners, docs/rules/dashboard.md#pages).
 */
export function Announcement() {
  const { ANNOUNCEMENT_ENABLED: enabled, ANNOUNCEMENT } = session().settings
  const { ID = '', SUBJECT = '', CONTENT = '', LINK = '' } = (ANNOUNCEMENT ?? {}) as Record<string, string>
  const [closed, setClosed] = useState(() => localStorage.getItem(VIEWED) === ID)
  if (!enabled || !(SUBJECT || CONTENT) || closed) return null
  return (
    <Notice
      tone="info"
      title={SUBJECT || t('Announcement')}
      onClose={() => {
        localStorage.setItem(VIEWED, ID)
        setClosed(true)
      }}
    >
      <span className={styles.announcement}>{CONTENT}</span>{' '}
      {/^https?:/i.test(LINK) && (
        <a href={LINK} target="_blank" rel="noreferrer">
          {t('View more')}
        </a>
      )}
    </Notice>
  )
}
