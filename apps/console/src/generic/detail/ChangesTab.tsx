import { type OperateLog, type OperateLogChange, operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../design/Button.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { api, type ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { mayAccess } from '../../session/session.ts'
import { ValuesTable } from '../cells/ValuesTable.tsx'
import { askUndo } from '../undo/ask-undo.ts'
import styles from '../undo/undo.module.css'
import type { ResourcePages } from '../view/define-pages.ts'
import { Moment } from './Moment.tsx'

/** Changes that are shown; the operation log has the others. */
const SHOWN = 50

/** Whether rows of these pages have a history that this person may read. */
export function hasChanges({ definition }: Pick<ResourcePages, 'definition'>): boolean {
  const { operations, permission, scope } = definition
  const isWritten = (['update', 'partial_update', 'destroy'] as const).some((one) => operations.includes(one))
  return isWritten && permission.write.length > 0 && scope !== 'self' && mayAccess(operateLog.permission.list)
}

/** The changes of one object, newest first; each can be undone. */
export function ChangesTab({ id }: { id: string }) {
  const query = { object_id: id, limit: SHOWN }
  const answer = useQuery({
    queryKey: keys.list(operateLog.path, query),
    queryFn: ({ signal }) => api.get<ListPage<OperateLog>>(operateLog.path, { query, signal, quiet: true }),
  })
  if (answer.error) return <LoadFailed error={answer.error} onRetry={() => void answer.refetch()} />
  if (!answer.data) return <Skeleton lines={6} />
  const { results } = answer.data
  if (results.length === 0) return <p className="quiet">{t('Nothing is recorded.')}</p>
  return (
    <section className="panel">
      <div className="inside">
        <ValuesTable
          className={styles.changes}
          titles={[t('When@@changes'), t('Who@@changes'), t('What@@changes'), t('Changes'), t('Undo')]}
        >
          {results.map((row) => (
            <tr key={row.id}>
              <td>
                <Moment value={row.datetime} />
              </td>
              <td>{nameOf(row.user)}</td>
              <td>{row.action_display}</td>
              <td>
                {((row.changes ?? []) as OperateLogChange[]).map((change) => (
                  <div key={change.field}>{inWords(row, change)}</div>
                ))}
              </td>
              <td>
                {row.undo_state === 'open' && (
                  <Button size="small" onClick={() => void askUndo({ id: row.id, whole: row.change_id })}>
                    {t('Undo')}
                  </Button>
                )}
                {row.undo_state === 'done' && <span className="quiet">{t('Undone')}</span>}
              </td>
            </tr>
          ))}
        </ValuesTable>
      </div>
    </section>
  )
}

/** `Comment: old → new`; of links those that came and went. */
function inWords({ action }: OperateLog, change: OperateLogChange): string {
  const { label, before, after, added, removed, is_secret } = change
  if (is_secret) return label
  const links = [...added.map((name) => `+ ${name}`), ...removed.map((name) => `− ${name}`)]
  if (links.length) return `${label}: ${links.join(', ')}`
  const sides = action === 'create' ? [after] : action === 'delete' ? [before] : [before, after]
  return `${label}: ${sides.map((side) => side ?? '–').join(' → ')}`
}
