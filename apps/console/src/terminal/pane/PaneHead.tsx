import { EyeIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Named } from '../../design/Named.tsx'
import { listed } from '../../lib/bidi.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import type { StartedSession } from '../screen/session-line.ts'
import type { TabState } from '../tabs/tabs.ts'
import { Elapsed } from './Elapsed.tsx'
import type { Participant } from './room.ts'

/** The target and the account, as far as they are known before the session begins. */
export interface PaneTitle {
  target: string
  systemUser: string
}

interface PaneHeadProps {
  title?: PaneTitle | undefined
  /** The session, once it has begun. */
  session: StartedSession | undefined
  state: TabState
  /** Everybody in the session, its person among them. */
  users?: readonly Participant[]
  /** People who watch: `Name(username)` of each. */
  watchers?: readonly string[]
  /** Buttons at the end. */
  children?: ReactNode
}

/** Over a pane: where it leads, as whom, for how long, that it is recorded, and who else is there. */
export function PaneHead({ title, session, state, users = [], watchers = [], children }: PaneHeadProps) {
  const target = session?.asset || title?.target || ''
  const systemUser = session?.systemUser || title?.systemUser || ''
  const isOn = session !== undefined && state !== 'disconnected'
  const guests = users.filter(({ primary }) => !primary).map(({ user }) => nameOf(user))
  const names = [...new Set(watchers)].map(nameOf)
  if (!target) return null
  return (
    <header className="pane-head">
      <span className="pane-head-target" title={target}>
        <Named text={target} />
      </span>
      {systemUser && (
        <span className="pane-head-user" title={t('System user: {{name}}', { name: systemUser })}>
          <Named text={systemUser} />
        </span>
      )}
      {isOn && (
        <span title={t('Duration')}>
          <Elapsed since={session.since} isFromStart />
        </span>
      )}
      {isOn && <span className="pane-head-recorded">{t('Recorded')}</span>}
      {isOn && guests.length > 0 && (
        <span className="pane-head-people" role="status">
          <span>{t('With {{names}}', { names: listed(guests) })}</span>
        </span>
      )}
      {isOn && names.length > 0 && (
        <span className="pane-head-people" role="status">
          <EyeIcon aria-hidden="true" />
          <span>{t('Watched by {{names}}', { names: listed(names) })}</span>
        </span>
      )}
      {children && <span className="pane-head-tools">{children}</span>}
    </header>
  )
}
