import { PERMISSION } from '@sallyport/contract/access.ts'
import { DownloadIcon, RefreshCwIcon, StethoscopeIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { HealthState } from './health/HealthState.tsx'
import styles from './health/health.module.css'
import { NodeFindings } from './health/NodeFindings.tsx'
import { isRunning, useArchive, useHealth, useRun } from './health/use-health.ts'

export const routes = places({
  name: 'HealthCheck',
  menu: 'xpack',
  order: 19,
  title: msg('Health check'),
  path: '/xpack/health-check',
  bits: PERMISSION.super,
})

/** Faults of the installation, on each node, and how to mend them. */
export function HealthCheck({ title }: PageProps) {
  const health = useHealth()
  const run = useRun()
  const archive = useArchive()
  const nodes = health.data?.nodes
  const isUnderWay = run.isPending || isRunning(nodes)
  const isNew = nodes?.every(({ state }) => state === 'never' || state === 'unreachable')
  const start = (
    <Button type="primary" icon={<RefreshCwIcon />} loading={isUnderWay} onClick={() => run.mutate()}>
      {isNew ? t('Run') : t('Run again')}
    </Button>
  )
  return (
    <PageFrame
      title={title}
      beside={nodes && <HealthState nodes={nodes} />}
      lead={t('Each node looks at itself, its database, stores and services. Nothing is changed and no mail is sent.')}
      actions={
        nodes && (
          <>
            <Button icon={<DownloadIcon />} loading={archive.isPending} onClick={() => archive.mutate()}>
              {t('Download support archive')}
            </Button>
            {!isNew && start}
          </>
        )
      }
    >
      {health.error && !nodes ? (
        <LoadFailed error={health.error} onRetry={() => void health.refetch()} />
      ) : !nodes ? (
        <Skeleton lines={10} />
      ) : isNew && !isUnderWay ? (
        <EmptyState icon={<StethoscopeIcon />} title={t('Not run since the last start')} action={start}>
          {t('It takes some seconds.')}
        </EmptyState>
      ) : (
        <div className={styles.health}>
          {nodes.map((node) => (
            <NodeFindings key={node.id} node={node} />
          ))}
        </div>
      )}
    </PageFrame>
  )
}

export const pages = { HealthCheck }
