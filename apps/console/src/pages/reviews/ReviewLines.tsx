import type { AccessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { useEffect, useState } from 'react'
import { Toggle } from '../../design/Button.tsx'
import { Progress } from '../../design/Progress.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { allLinePages, ownLinePages, settledLinePages } from './review-lines.tsx'
import { isUnderWay, percentOf } from './review-state.ts'
import styles from './reviews.module.css'

/** A review that begins or ends is read again after so long. */
const REFRESH_MS = 2000

/** The grants of a review: those that wait for this person first, to be decided one by one or many at once. */
export function ReviewLines({ row, refresh }: DetailProps<AccessReview>) {
  // Decided lines leave the list: it goes on being theirs until the person looks at all.
  const [shown, setShown] = useState<'mine' | 'all'>(row.own_amount ? 'mine' : 'all')
  if (row.state === 'planned') return null
  if (isUnderWay(row)) return <UnderWay row={row} refresh={refresh} />
  const isOpen = row.state === 'open'
  const query = { review: row.id, ...(isOpen && shown === 'mine' ? { mine: 'true' } : {}) }
  const pages = !isOpen ? settledLinePages : shown === 'mine' ? ownLinePages : allLinePages
  return (
    <section className={styles.lines}>
      <div className={styles.progress}>
        <Progress percent={percentOf(row)} aria-label={t('Decided grants')} className={styles.bar} />
        <span>
          {t('{{done}} of {{all}} decided', {
            done: formatNumber(row.lines_amount - row.open_amount),
            all: formatNumber(row.lines_amount),
          })}
        </span>
        {isOpen && (
          <Toggle
            value={shown}
            choices={[
              { value: 'mine', label: t('Waiting for you') },
              { value: 'all', label: t('All@@grants') },
            ]}
            onChange={setShown}
          />
        )}
      </div>
      <ResourceTable
        key={`${row.state} ${shown}`}
        pages={pages}
        base="AccessReviewLine"
        inAddress={false}
        query={query}
        onChanged={() => void refresh()}
      />
    </section>
  )
}

/** The progress of a review that the server begins or ends, until it has. */
function UnderWay({ row, refresh }: Pick<DetailProps<AccessReview>, 'row' | 'refresh'>) {
  useEffect(() => {
    const timer = setInterval(() => void refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])
  const isEnding = row.state === 'ending'
  const done = formatNumber(row.lines_amount - row.open_amount)
  return (
    <section className={styles.progress} aria-live="polite">
      <Progress
        percent={isEnding && row.open_amount ? percentOf(row) : undefined}
        aria-label={isEnding ? t('Ending@@review') : t('Beginning@@review')}
        className={styles.bar}
      />
      <span>
        {!isEnding
          ? t('All grants and their use in the last 90 days are being read. You can leave this page.')
          : row.open_amount
            ? t('{{done}} of {{all}} grants are settled', { done, all: formatNumber(row.lines_amount) })
            : t('The record is being signed')}
      </span>
    </section>
  )
}
