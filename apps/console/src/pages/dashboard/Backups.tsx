import { useQuery } from '@tanstack/react-query'
import { namesOf } from '../../design/names.ts'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { mayAccess } from '../../session/session.ts'
import { asked } from './ask.ts'
import { Card } from './Card.tsx'
import styles from './dashboard.module.css'

interface BackupStatus {
  state: 'off' | 'waiting' | 'good' | 'late' | 'failed'
  place: string
  date_good: string | null
  date_failed: string | null
  date_next: string | null
  error: string
}

/** Whether there is a good backup of the installation, for those who look after it. */
export function Backups() {
  return mayAccess(['super_admin']) ? <BackupCard /> : null
}

function BackupCard() {
  const query = useQuery(asked<BackupStatus>('/api/v1/backups/status/', {}))
  return (
    <Card title={t('Backups')} query={query} lines={1}>
      {(status) => {
        const isWrong = status.state === 'late' || status.state === 'failed'
        return (
          <div className={namesOf([styles.backupWords, isWrong && styles.isWrong])}>
            {sentences(status)
              .filter(Boolean)
              .map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
          </div>
        )
      }}
    </Card>
  )
}

function sentences({ state, place, date_good, date_failed, date_next, error }: BackupStatus): string[] {
  const good = date_good
    ? t('The last good backup is of {{date}} ({{ago}}).', {
        date: formatDate(date_good),
        ago: formatRelative(date_good),
      })
    : t('There is no good backup yet.')
  const next = date_next
    ? t('The next one is made on {{date}}, in {{place}}.', { date: formatDate(date_next), place })
    : ''
  switch (state) {
    case 'off':
      return [
        ...(date_good ? [good] : []),
        t('No backups are made by schedule: set SALLYPORT_BACKUP to a folder or bucket. docs/backup.md says how.'),
      ]
    case 'failed':
      return [t('The backup of {{date}} failed: {{error}}', { date: formatDate(date_failed), error }), good, next]
    case 'late':
      return [t('The last good backup is too old.'), good, next]
    default:
      return [good, next]
  }
}
