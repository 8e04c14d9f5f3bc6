import '../accounts.css'
import { useQuery } from '@tanstack/react-query'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Moment } from '../../../generic/detail/Moment.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'

interface Version {
  id: string
  version: number
  state: 'candidate' | 'previous'
  has_password: boolean
  has_key: boolean
  date_created: string
}

interface Look {
  id: string
  how: 'component' | 'reveal' | 'export'
  user: string
  remote_addr: string
  date_created: string
}

interface AccountHistoryProps {
  /** The account's address. */
  path: string
  onShow: (version: Version) => void
}

/** The former secrets of an account, and who had its secrets in clear. */
export function AccountHistory({ path, onShow }: AccountHistoryProps) {
  const versions = useQuery({
    queryKey: keys.list(`${path}versions/`, {}),
    queryFn: () => api.get<Version[]>(`${path}versions/`, { quiet: true }),
  })
  const looks = useQuery({
    queryKey: keys.list(`${path}looks/`, {}),
    queryFn: () => api.get<Look[]>(`${path}looks/`, { quiet: true }),
  })
  const failed = versions.error ?? looks.error
  if (failed)
    return <LoadFailed error={failed} onRetry={() => void Promise.all([versions.refetch(), looks.refetch()])} />
  if (!versions.data || !looks.data) return <Skeleton lines={6} />
  return (
    <div className="account-history">
      <section>
        <h3>{t('Former secrets')}</h3>
        {versions.data.length === 0 && <p className="quiet">{t('The secret has not been changed yet.')}</p>}
        <ul>
          {versions.data.map((one) => (
            <li key={one.id}>
              <span>{t('Version {{number}}', { number: one.version })}</span>
              <span className="quiet">{partsOf(one)}</span>
              <Moment value={one.date_created} />
              <button type="button" className="link" onClick={() => onShow(one)}>
                {t('View')}
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>{t('Who had the secret')}</h3>
        {looks.data.length === 0 && <p className="quiet">{t('Nobody has looked at it.')}</p>}
        <ul>
          {looks.data.map((look) => (
            <li key={look.id}>
              <span>{look.user}</span>
              <span className="quiet">{wordsOf(look.how)}</span>
              <span className="quiet">{look.remote_addr}</span>
              <Moment value={look.date_created} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

const partsOf = ({ has_password, has_key }: Version) =>
  [has_password && t('Password'), has_key && t('SSH private key')].filter(Boolean).join(', ')

function wordsOf(how: Look['how']): string {
  if (how === 'export') return t('In a file')
  return how === 'reveal' ? t('In the console') : t('For a connection')
}
