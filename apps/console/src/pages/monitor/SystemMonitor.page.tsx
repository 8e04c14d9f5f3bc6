import { PERMISSION } from '@sallyport/contract/access.ts'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { listOf } from '../../navigation/routes.ts'
import type { PageProps } from '../page-props.ts'
import { OpenAlarms, PastAlarms } from './Alarms.tsx'
import { Components } from './Components.tsx'
import { History } from './History.tsx'
import { NodeTable } from './NodeTable.tsx'
import { Overall } from './Overall.tsx'
import { SharedFigures } from './SharedFigures.tsx'
import { StorageTable } from './StorageTable.tsx'
import styles from './system-monitor.module.css'
import { useMonitorNow } from './use-system-monitor.ts'

export const routes = places({
  name: 'SystemMonitor',
  menu: 'xpack',
  order: 18,
  title: msg('System monitor'),
  path: '/xpack/system-monitor',
  bits: PERMISSION.super,
  license: true,
})

/** How the installation is, and has been for a month (A2.61). */
export function SystemMonitor({ title }: PageProps) {
  const now = useMonitorNow()
  return (
    <PageFrame
      title={title}
      beside={now.data && <Overall now={now.data} />}
      lead={
        <>
          {t('Nodes, database and storages, now and over 30 days. Measured every minute.')}{' '}
          <LinkedWords to={listOf('Settings', { activeTab: 'Monitor' })}>{t('Alarm limits')}</LinkedWords>
        </>
      }
    >
      <div className={styles.systemMonitor}>
        {now.data ? (
          <>
            <OpenAlarms alarms={now.data.alarms} />
            <SharedFigures now={now.data} />
            <NodeTable now={now.data} />
            <StorageTable storages={now.data.storages} />
            <History now={now.data} />
          </>
        ) : now.error ? (
          <LoadFailed error={now.error} onRetry={() => void now.refetch()} />
        ) : (
          <Skeleton lines={12} />
        )}
        {/* Read meanwhile, and shown once their place is known. */}
        <div hidden={!now.data && !now.error}>
          <div className={styles.systemMonitor}>
            <Components />
            <PastAlarms />
          </div>
        </div>
      </div>
    </PageFrame>
  )
}

export const pages = { SystemMonitor }
