import type { ReactNode } from 'react'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { AllLink } from './AllLink.tsx'
import styles from './dashboard.module.css'

interface CardProps<T> {
  title: string
  /** The list behind it. */
  to?: string | undefined
  /** How many there are, once that is known. */
  count?: number | undefined
  /** Fewer than the count are shown: a link leads to all of them. */
  shown?: number | undefined
  /** The subject of the count, such as the range. */
  note?: string
  query: { data: T | undefined; error: Error | null; refetch: () => unknown }
  /** Lines whose place is kept while they are on their way. */
  lines: number
  className?: string
  children: (data: T) => ReactNode
}

/** A panel with one question and its answer: waits, fails and tries again by itself. */
export function Card<T>({ title, to, count, shown, note, query, lines, className = '', children }: CardProps<T>) {
  const { data, error, refetch } = query
  return (
    <section className={`panel card ${className}`}>
      <h2>
        <LinkedWords to={to}>{title}</LinkedWords>
        {data !== undefined && count !== undefined && count > 0 && (
          <b className={styles.cardCount}>
            <LinkedWords to={to}>{count}</LinkedWords>
          </b>
        )}
        {note && <small>{note}</small>}
      </h2>
      {data !== undefined ? (
        <>
          {children(data)}
          <AllLink to={to} count={count} shown={shown} />
        </>
      ) : error ? (
        <LoadFailed error={error} onRetry={() => void refetch()} />
      ) : (
        <div className={`inside ${styles.cardWaiting}`}>
          <Skeleton lines={lines} />
        </div>
      )}
    </section>
  )
}
