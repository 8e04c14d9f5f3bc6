import type { RunbookRun } from '@sallyport/contract/resources/ops/runbook.ts'
import { type RunbookSchedule, runbookSchedule } from '@sallyport/contract/resources/ops/runbook-schedule.ts'
import { useMemo } from 'react'
import { Button } from '../../../design/Button.tsx'
import { showError, showSuccess } from '../../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { LazyForm } from '../../../generic/form/lazy-form.ts'
import { behindMfa } from '../../../generic/second-factor/MfaVerifyDialog.tsx'
import { formGroups } from '../../../generic/view/form-groups.ts'
import type { FormContext, FormValues, FormView } from '../../../generic/view/form-view.ts'
import { useMetadata } from '../../../generic/view/metadata.ts'
import { ApiError, api, errorText } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { forget } from '../../../lib/query.ts'
import styles from './runbook.module.css'

const CONTEXT: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams() }
const VIEW: FormView = {
  groups: [
    {
      title: '',
      fields: [
        { name: 'crontab', widget: 'cron' },
        {
          name: 'interval',
          widget: 'interval',
          check: (value, { crontab }) =>
            crontab || value ? undefined : t('Enter a schedule, or an interval in hours'),
          checkedWith: ['crontab'],
          help: msg('Used only without a schedule'),
        },
      ],
    },
  ],
}
const INITIAL: FormValues = { crontab: '0 4 * * *', interval: null }

export interface ScheduleFormProps {
  runbook: string
  /** The one that is changed; none where it is to be made. */
  schedule?: RunbookSchedule
  /** The previewed plan. */
  run: RunbookRun & { version: number }
  /** The steps are others by now. */
  onChanged: (failure: ApiError) => void
  onSaved: () => void
  onCancel: () => void
}

/** When the previewed run is repeated by itself. */
export function ScheduleForm({ runbook, schedule, run, onChanged, onSaved, onCancel }: ScheduleFormProps) {
  const metadata = useMetadata(runbookSchedule.path)
  const remote = metadata.data?.actions.POST
  const groups = useMemo(() => (remote ? formGroups(VIEW, remote) : []), [remote])
  if (metadata.isError) return <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!remote) return <Skeleton />
  const save = async (times: unknown) => {
    const draft = { ...(times as FormValues), ...run, runbook }
    try {
      if (schedule) {
        const { is_periodic } = schedule
        const path = `${runbookSchedule.path}${schedule.id}/`
        await behindMfa(() => api.put(path, { ...draft, is_periodic }, { quiet: true }))
      } else await behindMfa(() => api.post(runbookSchedule.path, draft, { quiet: true }))
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 409) return onChanged(failure)
      if (!(failure instanceof ApiError && failure.fields)) showError(errorText(failure))
      throw failure
    }
    showSuccess(t('Saved'))
    await forget(runbookSchedule.path)
    onSaved()
  }
  return (
    <section className={`panel ${styles.runbookSchedule}`} aria-label={t('Run by schedule')}>
      <p className="quiet">
        {t(
          'It runs as you, with the rights that you have then: assets that you may not use any more are skipped. Steps that somebody changes do not run until you agree. You get a message at each end.',
        )}
      </p>
      <LazyForm
        groups={groups}
        initial={schedule ? { crontab: schedule.crontab, interval: schedule.interval } : INITIAL}
        context={CONTEXT}
        view={VIEW}
        save={save}
        submitOnly
        extraButtons={<Button onClick={onCancel}>{t('Cancel')}</Button>}
      />
    </section>
  )
}
