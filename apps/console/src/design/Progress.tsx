import { namesOf } from './names.ts'
import styles from './Progress.module.css'

interface ProgressProps {
  /** From 0 to 100; undefined while nobody knows. */
  percent: number | undefined
  'aria-label': string
  /** Part of it has failed: it will not come to its end. */
  isFailed?: boolean
  /** The figure beside the bar. */
  isFigureShown?: boolean
  className?: string | undefined
}

/** How much is done. */
export function Progress({ percent, isFailed, isFigureShown, className, ...props }: ProgressProps) {
  const done = percent === undefined ? undefined : Math.round(Math.min(100, Math.max(0, percent)))
  return (
    <span className={namesOf([styles.progress, className])}>
      <span
        {...props}
        role="progressbar"
        className={styles.bar}
        data-tone={isFailed ? 'danger' : done === 100 ? 'good' : undefined}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={done}
      >
        <i className={done === undefined ? styles.unknown : undefined} style={{ inlineSize: `${done ?? 30}%` }} />
      </span>
      {isFigureShown && done !== undefined && <span aria-hidden="true">{done}%</span>}
    </span>
  )
}
