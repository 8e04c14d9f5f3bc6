import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { useQuery } from '@tanstack/react-query'
import { EyeIcon, SquareTerminalIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import type { ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { session } from '../../session/session.ts'
import { openMonitor } from '../windows.ts'
import { runningSessions } from './addresses.ts'
import { asked, NOW_MS } from './ask.ts'
import { Card } from './Card.tsx'
import { Lines, WhoWhere } from './Lines.tsx'

const SHOWN = 7

/** Live sessions: person, place, and a link that watches. */
export function LiveSessions() {
  const running = useQuery(
    asked<ListPage<Session>>('/api/v1/terminal/sessions/', { is_finished: 0, limit: SHOWN }, NOW_MS),
  )
  const isEverywhere = session().org?.is_root === true
  return (
    <Card
      title={t('Live now')}
      to={runningSessions()}
      count={running.data?.count}
      shown={SHOWN}
      query={running}
      lines={4}
      className="wide"
    >
      {({ count, results }) =>
        count === 0 ? (
          <EmptyState icon={<SquareTerminalIcon />} title={t('Nobody is connected')}>
            {t('Sessions appear here while they run, and can be watched.')}
          </EmptyState>
        ) : (
          <Lines
            lines={results.map((row) => ({
              id: row.id,
              to: addressOf('SessionDetail', { id: row.id }),
              main: <WhoWhere user={row.user} asset={row.asset} />,
              note: [
                t('as {{account}}', { account: row.system_user.replace(/\(.*/, '') }),
                row.login_from_display,
                row.remote_addr,
                isEverywhere && row.org_name,
              ]
                .filter(Boolean)
                .join(' · '),
              when: row.date_start,
              action: row.can_join && (
                <Button size="small" icon={<EyeIcon />} onClick={() => openMonitor(row.id)}>
                  {t('Monitor')}
                </Button>
              ),
            }))}
          />
        )
      }
    </Card>
  )
}
