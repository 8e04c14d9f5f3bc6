import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { Link } from 'react-router'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import styles from '../commands.module.css'
import { LimitsOfKind } from './LimitsOfKind.tsx'
import { TARGET_LIMITS } from './target-limits.ts'
import { useFilter, useKinds } from './use-kinds.ts'

/**
 * What no rule of a filter can see on the kinds of targets that it is for, and what holds better:
 * folded, wherever rules are written.
 */
export function WaysAround({ row }: { row: CommandFilter | undefined }) {
  const kinds = useKinds(row)
  const page = addressOf('CommandRuleLimits')
  return (
    <details className={styles.waysAround}>
      <summary>{t('How rules can be got around, and what holds better')}</summary>
      {kinds?.map((kind) => (
        <details key={kind} className={styles.waysAroundKind} open={kinds.length === 1}>
          <summary>{t(TARGET_LIMITS[kind].title)}</summary>
          <LimitsOfKind kind={kind} />
        </details>
      ))}
      {page && (
        <p>
          <Link to={page}>{t('What rules see and what they do not, with every technique that is tried')}</Link>
        </p>
      )}
    </details>
  )
}

/** The same, for the filter with that id. */
export function WaysAroundOf({ filter }: { filter: string }) {
  return <WaysAround row={useFilter(filter)} />
}
