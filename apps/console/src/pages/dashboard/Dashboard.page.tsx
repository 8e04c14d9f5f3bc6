import { PERMISSION } from '@sallyport/contract/access.ts'
import { msg } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { Announcement } from '../settings/Announcement.tsx'
import { Backups } from './Backups.tsx'
import { Decisions } from './Decisions.tsx'
import styles from './dashboard.module.css'
import { Figures } from './Figures.tsx'
import { FirstRun } from './first-run/FirstRun.tsx'
import { LiveSessions } from './LiveSessions.tsx'
import { LatestSessions, MostActiveUsers, MostUsedAssets } from './Rankings.tsx'
import { SessionsOverview } from './SessionsOverview.tsx'
import { FailedSignIns, JudgedCommands, Unreachable } from './Troubles.tsx'

export const routes = places({
  name: 'Dashboard',
  menu: 'admin-top',
  title: msg('Dashboard'),
  icon: 'dashboard',
  path: '/dashboard',
  bits: PERMISSION.audit,
  affix: true,
})

/**
 * Start page of the admin side (A2.07): who is where now, what needs a decision, what went
 * wrong, and then the numbers.
 */
export function Dashboard({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <div className={styles.dashboard}>
        <Announcement />
        <FirstRun />
        <Figures />
        <div className={styles.two}>
          <LiveSessions />
          <Decisions />
        </div>
        <div className={styles.three}>
          <JudgedCommands />
          <FailedSignIns />
          <Unreachable />
        </div>
        <Backups />
        <SessionsOverview />
        <div className={styles.three}>
          <MostActiveUsers />
          <MostUsedAssets />
          <LatestSessions />
        </div>
      </div>
    </PageFrame>
  )
}

export const pages = { Dashboard }
