import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import styles from '../accounts.module.css'
import { countsOf, type RunOfPlan } from './execution-result.ts'

const POLL_MS = 2000

interface PlanProgressProps {
  /** Address of the runs. */
  path: string
  row: RunOfPlan & { id: string }
  refresh(): Promise<unknown> | unknown
  /** Its accounts. */
  children: ReactNode
}

/** How far a run of a plan is, as long as it runs. */
export function PlanProgress({ path, row, refresh, children }: PlanProgressProps) {
  const { data = row } = useQuery({
    queryKey: keys.one(`${path}progress`, row.id),
    queryFn: ({ signal }) => api.get<RunOfPlan & { id: string }>(`${path}${row.id}/`, { signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data?.is_finished ? false : POLL_MS),
  })
  const { succeeded, failed, total } = countsOf(data)
  const hasEnded = data.is_finished && !row.is_finished
  useEffect(() => {
    if (hasEnded) void refresh()
  }, [hasEnded, refresh])
  return (
    <section className={styles.planProgress}>
      <div>
        <progress value={succeeded + failed} max={total || 1} aria-label={t('Progress')} />
        <span>{t('{{succeeded}} succeeded, {{failed}} failed, of {{total}}', { succeeded, failed, total })}</span>
      </div>
      {children}
    </section>
  )
}
