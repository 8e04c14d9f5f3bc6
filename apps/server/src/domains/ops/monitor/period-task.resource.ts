import { celeryPeriodTask } from '@sallyport/contract/resources/ops/celery-period-task.ts'
import { inArray } from 'drizzle-orm'
import { invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { nextTime } from '../../../kernel/jobs/cron.ts'
import { kernelSchedule } from '../../../kernel/jobs/tables.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import type { ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'

type Stored = StoredRow<typeof kernelSchedule>
type Writing = WriteContext<typeof celeryPeriodTask, typeof kernelSchedule>

/**
 * What comes by the clock: when, how often it came, and whether it comes
 * (docs/rules/ops.md#celery_period_task).
 */
export default function mountPeriodTasks(kernel: Kernel): void {
  mountResource(kernel, celeryPeriodTask, {
    table: kernelSchedule,
    // Rows of schedules that another version has, and this one has not, are left out.
    scope: () =>
      inArray(
        kernelSchedule.name,
        kernel.jobs.schedules.map(({ name }) => name),
      ),
    computed: [
      {
        fields: ['task', 'description', 'is_essential', 'crontab', 'next_run_at'],
        load: async (rows, context) => rows.map((row) => declared(row, context)),
      },
    ],
    rules: { beforeWrite: [keepEssential] },
  })
}

const scheduleOf = ({ jobs }: Kernel, name: unknown) => jobs.schedules.find((one) => one.name === name)

function declared({ name, enabled }: Stored, { kernel, call }: ReadContext) {
  const { cron = '', title = '', isEssential = false } = scheduleOf(kernel, name) ?? {}
  const next = enabled || isEssential ? nextTime(cron, kernel.jobs.zone, new Date()) : undefined
  return {
    task: name,
    description: translate(call.language, title),
    is_essential: isEssential,
    crontab: cron,
    next_run_at: next ? formatDateTime(next, call.timeZone) : null,
  }
}

function keepEssential({ kernel, draft, row }: Writing): void {
  if (draft.enabled === false && scheduleOf(kernel, row?.name)?.isEssential)
    throw invalid({ enabled: 'This job cannot be switched off: rights, records or sessions would go wrong without it' })
}
