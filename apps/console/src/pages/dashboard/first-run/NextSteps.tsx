import { WIRE } from '@sallyport/contract/constants.ts'
import { Link } from 'react-router'
import { msg, t } from '../../../lib/i18n.ts'
import { replayAddress } from '../../windows.ts'
import styles from './first-run.module.css'
import type { FirstSession } from './use-first-run.ts'

/** Steps of an administrator after the first session, each with its reason. */
const STEPS = [
  { to: '/users/users', title: msg('Bring your team in'), why: msg('Add users, or invite them by email.') },
  {
    to: '/applications/databases',
    title: msg('Add a database'),
    why: msg('Statements are recorded and can be held for approval.'),
  },
  {
    to: '/assets/cmd-filters',
    title: msg('Write a command rule'),
    why: msg('Stop rm -rf / before it runs, or have a colleague approve it.'),
  },
  {
    to: '/users/profile',
    title: msg('Turn on your second factor'),
    why: msg('An administrator’s password alone should not open every server.'),
  },
  {
    title: msg('Schedule a backup'),
    why: msg('The Backups card on this page says what is set. docs/backup.md says how.'),
  },
]

/** The end of the guide: the first recording to look at, and where to go from here. */
export function NextSteps({ first }: { first: FirstSession }) {
  return (
    <div className={styles.firstNext}>
      <Recording first={first} />
      <h3>{t('Next steps')}</h3>
      <ul>
        {STEPS.map(({ to, title, why }) => (
          <li key={title}>
            {to ? <Link to={to}>{t(title)}</Link> : <strong>{t(title)}</strong>}
            <span>{t(why)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Recording({ first: { id, is_finished, can_replay } }: { first: FirstSession }) {
  if (!is_finished)
    return (
      <p>
        {t('The session is still open. You can watch it now, and replay it when it ends.')}{' '}
        <a className="button" href={`${WIRE.webTerminalBase}monitor/${id}`} target="_blank" rel="noreferrer">
          {t('Watch it')}
        </a>
      </p>
    )
  if (!can_replay) return <p>{t('The recording is being stored. It can be replayed in a moment.')}</p>
  return (
    <p>
      <a className="button primary" href={replayAddress(id)} target="_blank" rel="noreferrer">
        {t('Replay it')}
      </a>
    </p>
  )
}
