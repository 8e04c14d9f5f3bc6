import type { FormFieldView, FormGroup, FormValues } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'

const isPeriodic = ({ is_periodic }: FormValues) => Boolean(is_periodic)

/** When a plan runs by itself: by the clock, else every so many hours (A5.09 B5.07). */
export const scheduleGroup: FormGroup = {
  title: msg('Schedule'),
  fields: [
    'is_periodic',
    { name: 'crontab', widget: 'cron', visibleWhen: isPeriodic } satisfies FormFieldView,
    {
      name: 'interval',
      widget: 'interval',
      visibleWhen: isPeriodic,
      check: (value, { crontab }) => (crontab || value ? undefined : t('Enter a schedule, or an interval in hours')),
    } satisfies FormFieldView,
  ],
}
