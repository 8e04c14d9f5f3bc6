import type { ReactNode } from 'react'
import { namesOf } from '../../design/names.ts'
import styles from './values-table.module.css'

interface ValuesTableProps {
  /** Heads of the columns. */
  titles: readonly string[]
  caption?: string
  className?: string | undefined
  /** Rows. */
  children: ReactNode
}

/** A plain table of fields and their values, side by side: before and after, or now and then. */
export function ValuesTable({ titles, caption, className, children }: ValuesTableProps) {
  return (
    <table className={namesOf([styles.values, className])}>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
