import type { NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import { Status } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './health.module.css'
import { isRunning } from './use-health.ts'

/** All nodes in a word; while they look, how far they are. */
export function HealthState({ nodes }: { nodes: readonly NodeHealth[] }) {
  return (
    <span className={styles.healthState} role="status">
      <Word nodes={nodes} />
    </span>
  )
}

function Word({ nodes }: { nodes: readonly NodeHealth[] }) {
  const sum = (of: (node: NodeHealth) => number) => nodes.reduce((all, node) => all + of(node), 0)
  const count = (wanted: string) => sum(({ findings }) => findings.filter(({ state }) => state === wanted).length)
  if (isRunning(nodes))
    return (
      <Status tone="info">
        {t('{{done}} of {{total}} checks', { done: sum(({ done }) => done), total: sum(({ total }) => total) })}
      </Status>
    )
  const errors = count('error') + nodes.filter(({ state }) => state === 'unreachable').length
  if (errors) return <Status tone="danger">{t('{{count}} wrong', { count: errors })}</Status>
  const warnings = count('warning')
  if (warnings) return <Status tone="warning">{t('{{count}} to look at', { count: warnings })}</Status>
  if (nodes.some(({ state }) => state === 'done')) return <Status tone="good">{t('Nothing is wrong')}</Status>
  return null
}
