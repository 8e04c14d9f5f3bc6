import type { ChangeAuthPlanSubtask } from '@sallyport/contract/resources/accounts/change-auth-plan-subtask.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { Status } from '../../../design/Status.tsx'
import { Moment } from '../../../generic/detail/Moment.tsx'
import { api } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import styles from '../accounts.module.css'
import { stateWords, TONES } from '../plans/change-state.ts'

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
  how: 'component' | 'reveal' | 'export' | 'run'
  user: string
  remote_addr: string
  date_created: string
}

type Change = Pick<ChangeAuthPlanSubtask, 'id' | 'state' | 'reason_display' | 'date_start'>

interface AccountHistoryProps {
  /** The account's address. */
  path: string
  /** Address of its changes by plans; undefined where there is no license for plans. */
  changes: string | undefined
  onShow: (version: Version) => void
}

interface Moments {
  id: string
  date: string
  what: ReactNode
}

/** The life of an account: what its secret was, what changed it, and who had it in clear; the latest first. */
export function AccountHistory({ path, changes: changesPath, onShow }: AccountHistoryProps) {
  const versions = useList<Version>(`${path}versions/`)
  const looks = useList<Look>(`${path}looks/`)
  const changes = useList<Change>(changesPath)
  const all = [versions, looks, changes]
  const failed = all.find(({ error }) => error)?.error
  if (failed) return <LoadFailed error={failed} onRetry={() => void Promise.all(all.map(({ refetch }) => refetch()))} />
  if (all.some(({ data }) => !data)) return <Skeleton lines={6} />
  const moments: Moments[] = [
    ...(versions.data ?? []).map((one) => ({
      id: one.id,
      date: one.date_created,
      what: <FormerSecret version={one} onShow={onShow} />,
    })),
    ...(looks.data ?? []).map((one) => ({ id: one.id, date: one.date_created, what: <SecretLook look={one} /> })),
    ...(changes.data ?? []).flatMap((one) =>
      one.date_start ? [{ id: one.id, date: one.date_start, what: <PlannedChange change={one} /> }] : [],
    ),
  ].sort((a, b) => b.date.localeCompare(a.date))
  if (!moments.length)
    return <p className="quiet">{t('The secret has not been changed yet, and nobody has viewed it.')}</p>
  return (
    <ol className={styles.accountHistory}>
      {moments.map(({ id, date, what }) => (
        <li key={id}>
          <Moment value={date} />
          {what}
        </li>
      ))}
    </ol>
  )
}

function useList<T>(path: string | undefined) {
  return useQuery({
    queryKey: keys.list(path ?? '', {}),
    queryFn: async () => (path ? api.get<T[]>(path, { quiet: true }) : []),
  })
}

function FormerSecret({ version, onShow }: { version: Version; onShow: (version: Version) => void }) {
  const isCandidate = version.state === 'candidate'
  return (
    <>
      <Status tone={isCandidate ? 'warning' : 'quiet'}>
        {isCandidate
          ? t('A new secret, not yet known to work')
          : t('Version {{number}} was replaced', { number: version.version })}
      </Status>
      <span className="quiet">{partsOf(version)}</span>
      <button type="button" className="link" onClick={() => onShow(version)}>
        {t('View')}
      </button>
    </>
  )
}

function SecretLook({ look: { how, user, remote_addr: address } }: { look: Look }) {
  return (
    <>
      <Status tone={how === 'component' ? 'quiet' : 'info'}>{t('{{name}} had the secret', { name: user })}</Status>
      <span className="quiet">{wordsOf(how)}</span>
      <span className="quiet">{address}</span>
    </>
  )
}

function PlannedChange({ change: { state, reason_display: reason } }: { change: Change }) {
  return (
    <>
      <Status tone={TONES[state]}>{t('Change by a plan: {{state}}', { state: stateWords(state) })}</Status>
      <span className="quiet">{reason}</span>
    </>
  )
}

const partsOf = ({ has_password, has_key }: Version) =>
  [has_password && t('Password'), has_key && t('SSH private key')].filter(Boolean).join(', ')

function wordsOf(how: Look['how']): string {
  if (how === 'export') return t('In a file')
  if (how === 'run') return t('For a runbook')
  return how === 'reveal' ? t('In the console') : t('For a connection')
}
