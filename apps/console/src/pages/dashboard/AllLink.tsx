import { Link } from 'react-router'
import { t } from '../../lib/i18n.ts'
import styles from './dashboard.module.css'

interface AllLinkProps {
  to: string | undefined
  /** How many there are; undefined while that is not known. */
  count: number | undefined
  /** How many of them are shown. */
  shown: number | undefined
}

/** Leads to all of them, where not all are shown. */
export function AllLink({ to, count, shown }: AllLinkProps) {
  if (!to || count === undefined || shown === undefined || count <= shown) return null
  return (
    <Link className={styles.more} to={to}>
      {t('All {{count}}', { count })}
    </Link>
  )
}
