import type { ChangeAuthPlanExecution } from '@sallyport/contract/resources/accounts/change-auth-plan-execution.ts'
import type { RowState } from '../../../generic/view/detail-view.ts'
import { t } from '../../../lib/i18n.ts'

/** A run, whatever its accounts are of. */
export type RunOfPlan = Pick<ChangeAuthPlanExecution, 'result_summary' | 'is_finished'>

/** A run is called as its plan was then. */
export const planName = ({ plan_snapshot }: { plan_snapshot?: object | null }): string =>
  String((plan_snapshot as { name?: string } | null | undefined)?.name ?? '')

/** How many accounts there are, and what became of them. */
export function countsOf({ result_summary: summary }: Pick<RunOfPlan, 'result_summary'>) {
  const of = (name: string) => Number(summary[name] ?? 0)
  return { succeeded: of('succeed'), failed: of('failed'), total: of('total'), unknown: of('unknown') }
}

/** Succeeded, failed and all of them (docs/rules/accounts.md#change_auth_run). */
export function resultOf(row: Pick<RunOfPlan, 'result_summary'>): string {
  const { succeeded, failed, total } = countsOf(row)
  return `${succeeded}/${failed}/${total}`
}

/** How it stands with a run, in words. */
export function executionState(row: RunOfPlan): RowState {
  const { failed, unknown, total } = countsOf(row)
  if (!row.is_finished) return { tone: 'info', words: t('Running') }
  if (unknown) return { tone: 'warning', words: t('{{count}} not known yet', { count: unknown }) }
  if (failed) return { tone: 'danger', words: t('{{failed}} of {{total}} failed', { failed, total }) }
  return { tone: 'good', words: t('Succeeded') }
}
