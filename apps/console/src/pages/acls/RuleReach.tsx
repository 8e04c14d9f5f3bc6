import { loginAssetAcl } from '@sallyport/contract/resources/acls/login-asset-acl.ts'
import type { RuleReach as Reach } from '@sallyport/contract/resources/acls/rule-reach.ts'
import { useQuery } from '@tanstack/react-query'
import { useFormValues } from '../../generic/form/edited-form.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { Unusable } from '../../generic/widgets/unusable.ts'
import { api, errorText } from '../../lib/api.ts'
import { useSettled } from '../../lib/hooks/use-settled.ts'
import { t } from '../../lib/i18n.ts'
import styles from './WholeNames.module.css'

const PATH = `${loginAssetAcl.path}reach/`

/** The groups of the rule as they would be sent; a list that names nobody yet is empty. */
function groupsOf(values: FormValues): Record<string, FormValues> {
  const groups = ['users', 'assets', 'system_users'].map((name) => {
    const lists = Object.entries((values[name] ?? {}) as FormValues)
    return [name, Object.fromEntries(lists.map(([list, one]) => [list, one instanceof Unusable ? [] : one]))]
  })
  return Object.fromEntries(groups)
}

/** Whom and what the rule would meet now, while it is written. */
export function RuleReach() {
  const wanted = useSettled(JSON.stringify(groupsOf(useFormValues())))
  const { data, error } = useQuery({
    queryKey: [PATH, wanted],
    queryFn: ({ signal }) => api.post<Reach>(PATH, JSON.parse(wanted), { signal, quiet: true }),
    enabled: wanted !== '',
    placeholderData: (before) => before,
  })
  if (error) return <p role="alert">{errorText(error)}</p>
  const lines = [
    [t('People'), data?.users],
    [t('Assets and applications'), data?.assets],
    [t('System users@@field'), data?.system_users],
  ] as const
  return (
    <dl className={styles.reach} aria-live="polite">
      {lines.map(([title, met]) => (
        <div key={title} style={{ display: 'contents' }}>
          <dt>{title}</dt>
          <dd>{met && metWords(met)}</dd>
        </div>
      ))}
    </dl>
  )
}

function metWords({ count, names }: Reach['users']): string {
  if (count === 0) return t('None now: the rule holds for nothing')
  const named = names.join(', ')
  return count > names.length ? t('{{count}}, such as {{names}}', { count, names: named }) : `${count}: ${named}`
}
