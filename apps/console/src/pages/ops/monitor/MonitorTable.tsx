import type { UseQueryResult } from '@tanstack/react-query'
import { InboxIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import styles from './monitor.module.css'

interface MonitorTableProps<Row> {
  /** Says what it lists, for screen readers. */
  label: string
  /** What can be tried again; nothing for rows that came with the page. */
  read?: Pick<UseQueryResult<unknown>, 'error' | 'isLoadingError' | 'refetch'>
  /** Undefined before they are known. */
  rows: readonly Row[] | undefined
  keyOf: (row: Row) => string
  columns: readonly { title: string; isNumber?: boolean; draw: (row: Row) => ReactNode }[]
  /** In place of the rows where there are none. */
  none: string
}

/** A table of the monitor with its states: on its way, empty, not to be read. */
export function MonitorTable<Row>({ label, read, rows, keyOf, columns, none }: MonitorTableProps<Row>) {
  if (read?.isLoadingError) return <LoadFailed error={read.error} onRetry={() => void read.refetch()} />
  if (!rows) return <Skeleton lines={6} />
  return (
    <div className="table-box">
      <table className={`table ${styles.monitorTable}`} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber ? 'right' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, draw }, at) => (
                <td key={title} data-label={at ? title : undefined} className={isNumber ? 'right' : undefined}>
                  {draw(row)}
                </td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && (
            <tr className="empty">
              <td colSpan={columns.length}>
                <EmptyState icon={<InboxIcon />} title={none} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

/** The name of a queue, and its purpose where that is known. */
export function QueueName({ queue, title }: { queue: string; title: string }) {
  return (
    <span className={styles.queueName}>
      {title && <span>{title}</span>}
      <code>{queue}</code>
    </span>
  )
}
