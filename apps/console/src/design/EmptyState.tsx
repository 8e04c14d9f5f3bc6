import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon?: ReactNode
  /** The missing thing, in a few words. */
  title: string
  /** Why, or what it would be good for. */
  children?: ReactNode
  /** What to do about it. */
  action?: ReactNode
}

/** In place of a list or a chart that has nothing to show: what, why, and what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="empty-state">
      {icon && <span className="empty-icon">{icon}</span>}
      <strong>{title}</strong>
      {children && <p>{children}</p>}
      {action && <div className="empty-action">{action}</div>}
    </div>
  )
}
