import type { ReactNode } from 'react'
import styles from './EmptyState.module.css'
import { namesOf } from './names.ts'

interface EmptyStateProps {
  icon?: ReactNode
  /** The missing thing, in a few words. */
  title: string
  /** Why, or what it would be good for. */
  children?: ReactNode
  /** What to do about it. */
  action?: ReactNode
  className?: string
}

/** In place of a list or a chart that has nothing to show: what, why, and what to do next. */
export function EmptyState({ icon, title, children, action, className }: EmptyStateProps) {
  return (
    <div className={namesOf([styles.empty, className])}>
      {icon && <span className={styles.icon}>{icon}</span>}
      <strong>{title}</strong>
      {children && <p>{children}</p>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  )
}
