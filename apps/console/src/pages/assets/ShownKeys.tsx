import { useQuery } from '@tanstack/react-query'
import { Button } from '../../design/Button.tsx'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { api, type Query } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { mayAccess } from '../../session/session.ts'
import styles from '../lists.module.css'

interface ShownKey {
  id: string
  host: string
  port: number
  /** Host keys of SSH. */
  key_type?: string
  fingerprint: string
  state: 'pinned' | 'refused'
  is_moved?: boolean
  date_first_seen: string
  date_accepted: string | null
  date_last_seen: string
}

const NO_QUERY: Query = {}

interface ShownKeysProps {
  /** Address of the list; `accept/` below it trusts one. */
  path: string
  query?: Query
}

/**
 * The keys that a server has shown. A changed key refuses every connection until an administrator
 * trusts it here.
 */
export function ShownKeys({ path, query = NO_QUERY }: ShownKeysProps) {
  const list = useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<ShownKey[]>(path, { query, signal, quiet: true }),
  })
  const accept = (key: ShownKey) =>
    confirmDanger({
      title: t('Trust this host key?'),
      content: t(
        'Trust it only when you know why the key changed, for example a new installation. Compare the fingerprint on the machine itself: {{fingerprint}}',
        { fingerprint: key.fingerprint },
      ),
      okText: t('Trust'),
      onOk: async () => {
        await api.post(`${path}accept/`, { id: key.id })
        showSuccess(t('The host key is trusted from now on'))
        await forget(path)
      },
    })
  if (list.isError) return <p role="alert">{t('Get failed')}</p>
  if (list.data?.length === 0) return <p>{t('None yet. The first key is remembered at the first connection.')}</p>
  return (
    <ul className={styles.hostKeys}>
      {list.data?.map((key) => (
        <li key={key.id}>
          <div>
            {key.key_type && <b>{key.key_type}</b>} {key.host}:{key.port}
          </div>
          <code>{key.fingerprint}</code>
          {key.state === 'pinned' ? (
            <small>{t('Trusted since {{date}}', { date: formatDate(key.date_accepted ?? key.date_first_seen) })}</small>
          ) : (
            <>
              <small className={styles.refused}>
                {key.is_moved
                  ? t('Refused: shown at another address. A system administrator may trust it. Last seen {{date}}', {
                      date: formatDate(key.date_last_seen),
                    })
                  : t('Refused: the key changed. Last seen {{date}}', { date: formatDate(key.date_last_seen) })}
              </small>
              {(!key.is_moved || mayAccess(['super_admin'])) && (
                <Button size="small" danger onClick={() => accept(key)}>
                  {t('Trust')}
                </Button>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
