import { type CeleryPeriodTask, celeryPeriodTask } from '@sallyport/contract/resources/ops/celery-period-task.ts'
import { useState } from 'react'
import { showSuccess } from '../../../design/dialogs/feedback.tsx'
import { Switch } from '../../../design/inputs/Switch.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { definePages } from '../../../generic/view/define-pages.ts'
import { api } from '../../../lib/api.ts'
import { atOnce, withValues } from '../../../lib/at-once.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { clockWords } from '../../../lib/time/clock-words.ts'
import { QueueName } from './MonitorTable.tsx'

/** What comes by the clock, with a switch for what may be switched off. */
export const periodTaskPages = definePages<CeleryPeriodTask & { id: string }>(celeryPeriodTask, {
  list: {
    columns: [
      {
        field: 'name',
        title: msg('Job'),
        cell: ({ row }) => <QueueName queue={row.name} title={row.description ?? ''} />,
      },
      {
        field: 'crontab',
        title: msg('Schedule@@job'),
        width: 170,
        sorter: false,
        cell: ({ row }) => clockWords(row.crontab ?? ''),
      },
      { field: 'last_run_at', width: 170, cell: ({ row }) => <When value={row.last_run_at} /> },
      { field: 'next_run_at', width: 170, sorter: false, cell: ({ row }) => <When value={row.next_run_at} /> },
      { field: 'total_run_count', width: 96, align: 'right' },
      { field: 'enabled', width: 130, cell: ({ row }) => <OnOff of={row} /> },
    ],
    linkColumn: 'none',
    hasSelection: false,
    hasActions: false,
    refetchInterval: 5000,
  },
})

function OnOff({ of: { id, name, enabled, is_essential } }: { of: CeleryPeriodTask & { id: string } }) {
  const [saving, setSaving] = useState(false)
  if (is_essential) return <span className="quiet">{t('Always on')}</span>
  const save = async (on: boolean) => {
    setSaving(true)
    const { path } = celeryPeriodTask
    await atOnce(path, withValues([id], { enabled: on }), () => api.patch(`${path}${id}/`, { enabled: on }))
    showSuccess(t('Saved'))
  }
  return (
    <Switch
      checked={enabled !== false}
      loading={saving}
      aria-label={name}
      onChange={(on) =>
        void save(on)
          .catch(() => {})
          .finally(() => setSaving(false))
      }
    />
  )
}
