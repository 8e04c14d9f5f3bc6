import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { PlayIcon } from 'lucide-react'
import { useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { t } from '../../lib/i18n.ts'
import { durationOf } from './duration.ts'
import styles from './session-page.module.css'

/** The player, its terminal and its styles come when somebody wants to watch. */
const SessionPlayer = lazily<{ row: Session }>(
  () => import('./SessionPlayer.tsx').then((m) => m.SessionPlayer),
  <Skeleton lines={3} />,
)

/**
 * The recording of a session that has ended, in its page. It is read when it is started: who merely
 * looks a session up has not watched it.
 */
export function SessionReplay({ row }: DetailProps<Session>) {
  const [watching, setWatching] = useState(false)
  if (!row.is_finished || !row.has_replay || !row.can_replay) return null
  return (
    <section className={styles.sessionReplay} aria-label={t('Replay@@action')}>
      {watching ? (
        <SessionPlayer row={row} />
      ) : (
        <button type="button" className={styles.replayPoster} onClick={() => setWatching(true)}>
          <PlayIcon aria-hidden="true" />
          {t('Replay the session')}
          <span>{durationOf(row)}</span>
        </button>
      )}
    </section>
  )
}
