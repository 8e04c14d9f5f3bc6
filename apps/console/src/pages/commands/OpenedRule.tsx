import { type CommandFilterRule, commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Notice } from '../../design/Notice.tsx'
import { Status } from '../../design/Status.tsx'
import { ApiError, api, withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { addressOf } from '../../navigation/routes.ts'
import styles from './commands.module.css'
import { filterTab } from './filter-tab.ts'
import { ACTION_TONES } from './rule-actions.ts'

/** A rule of a filter by its id. */
export function useRule(filter: string, id: string | null) {
  const path = commandFilterRule.path.replace(':filter_id', encodeURIComponent(filter))
  return useQuery({
    queryKey: keys.one(path, id ?? ''),
    queryFn: ({ signal }) =>
      api.get<CommandFilterRule>(`${path}${encodeURIComponent(id ?? '')}/`, { signal, quiet: true }),
    enabled: id !== null,
  })
}

const SAID: Readonly<Record<number, () => string>> = {
  0: () => t('Denies commands in which it finds:'),
  2: () => t('Has commands confirmed in which it finds:'),
  9: () => t('Allows commands in which it finds:'),
}

/** The rule that a link led to, or that it has been deleted. */
export function OpenedRule({ filter, id }: { filter: string; id: string }) {
  const { data: rule, error } = useRule(filter, id)
  if (error instanceof ApiError && error.status === 404)
    return (
      <Notice tone="info" role="status" title={t('The rule that you came for has been deleted.')}>
        {t('What it decided stays in the list of commands and in the tickets.')}
      </Notice>
    )
  if (!rule) return null
  const update = addressOf('CommandFilterRulesUpdate', { id })
  return (
    <section className={`panel ${styles.openedRule}`}>
      <h2>
        {t('Rule with priority {{priority}}', { priority: rule.priority })}{' '}
        <Status tone={ACTION_TONES[rule.action] ?? 'quiet'}>{rule.action_display}</Status>
      </h2>
      <div className="inside">
        <p>{SAID[rule.action]?.()}</p>
        <pre className={styles.ruleContent}>{rule.content}</pre>
        {rule.comment && <p className="quiet">{rule.comment}</p>}
        <p className={styles.openedRuleLinks}>
          {update && <Link to={withQuery(update, { filter })}>{t('Update')}</Link>}
          <Link to={filterTab(filter, 'try', id)}>{t('Try it')}</Link>
        </p>
      </div>
    </section>
  )
}
