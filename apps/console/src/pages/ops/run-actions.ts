import { adhocExecution, type RunCounts } from '@sallyport/contract/resources/ops/adhoc-execution.ts'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import type { QuickAction } from '../../generic/view/actions.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { runTask } from '../run-task.ts'
import type { RunFacts } from './run-facts.tsx'

/** Asks, and ends a background task; on its machines, where it has begun there. */
export function cancelTask(id: string, done: () => unknown): void {
  confirmDanger({
    title: t('Stop this run?'),
    content: t('What it started on machines is ended there, and no other machine is started.'),
    okText: t('Stop'),
    onOk: async () => {
      await api.post(`/api/v1/ops/celery/task/${encodeURIComponent(id)}/cancel/`)
      showSuccess(t('Stop requested'))
      await done()
    },
  })
}

/** What can be done about a run: that of the page, or the latest one. */
export const runActions = <R extends Row>(runOf: (row: R) => RunFacts | undefined): QuickAction<R>[] => [
  {
    name: 'cancel',
    title: msg('The run goes on'),
    button: msg('Stop'),
    has: (row) => runOf(row)?.is_finished === false,
    run: (row, { refresh }) => cancelTask(String(runOf(row)?.id), refresh),
  },
  {
    name: 'retry',
    title: msg('Run again on failed assets'),
    button: msg('Run@@action'),
    has: (row) => {
      const run = runOf(row)
      return run?.is_finished === true && Boolean(run.adhoc) && ((run.stat as RunCounts | undefined)?.failed ?? 0) > 0
    },
    run: (row, { refresh }) =>
      runTask(`${adhocExecution.path}${runOf(row)?.id}/retry/`)
        .then(refresh)
        .catch(() => {}),
  },
]
